package needle

// frequency estimates how often each byte is in source code.
var frequency = func() (f [256]float32) {
	for i := range f {
		f[i] = 0.0005
	}
	set := func(bytes string, share float32) {
		for i := range len(bytes) {
			f[bytes[i]] = share
		}
	}
	set(" ", 0.15)
	set("e", 0.08)
	set("taoinsr", 0.05)
	set("\n\tlcdup", 0.03)
	set("mfhg.,()\"", 0.018)
	set("ybvw01_/:;=-{}kx", 0.01)
	set("ESTACPRINDLM23456789*[]'", 0.006)
	set("jzqBFGHKOUVWXY<>&#+", 0.003)
	return f
}()
