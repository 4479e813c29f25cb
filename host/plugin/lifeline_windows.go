package plugin

// lifelineVariable is empty: Windows cannot hand down a pipe beyond the three standard streams, so a plugin outlives a host that is
// killed until its next attempt to reach it.
const lifelineVariable = ""
