package plugin

import (
	"testing"
	"time"
)

func TestCrashLog(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(s float64) time.Time { return begin.Add(time.Duration(s * float64(time.Second))) }
	var c crashLog
	if _, down := c.downUntil(begin); down || c.pause(begin) != 0 {
		t.Error("a plugin without a crash is held up")
	}
	for i, want := range []time.Duration{0, 100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond} {
		c.add(at(float64(i)))
		if got := c.pause(at(float64(i))); got != want {
			t.Errorf("after crash %d a pause of %s, want %s", i+1, got, want)
		}
		if _, down := c.downUntil(at(float64(i))); down {
			t.Errorf("down after crash %d", i+1)
		}
	}
	if got := c.pause(at(60.5)); got != 200*time.Millisecond { // the crash at 0 s is out of the window
		t.Errorf("pause %s", got)
	}
	c.add(at(60.9)) // at 0 is forgotten: at 1, 2, 3 and 60.9 count
	if _, down := c.downUntil(at(60.9)); down {
		t.Error("four crashes in a minute took it down")
	}
	c.add(at(60.95))
	if until, down := c.downUntil(at(60.95)); !down || !until.Equal(at(120.95)) {
		t.Errorf("%v until %s", down, until)
	}
	if _, down := c.downUntil(at(120.94)); !down {
		t.Error("up too early")
	}
	if _, down := c.downUntil(at(120.95)); down || c.pause(at(120.95)) != 0 {
		t.Error("not up in time, or crashes are remembered")
	}
}
