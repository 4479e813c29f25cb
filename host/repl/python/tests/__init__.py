"""Tests of the Python runtime: each drives a real process as a bare client of the protocol."""
