package plugin

import "time"

// The restart policy. A crash by bad luck costs the next caller nothing; a plugin that crashes again and again must
// not keep the machine busy.
const (
	crashLimit  = 5                      // so many crashes …
	crashWindow = time.Minute            // … within this take the plugin down for as long
	firstPause  = 100 * time.Millisecond // before the start after the second crash; doubles with each further one
)

// crashLog remembers when a plugin crashed. The zero value has no crashes.
type crashLog struct {
	times []time.Time // ascending
	down  time.Time   // no start before this
}

func (c *crashLog) add(now time.Time) {
	c.forget(now)
	c.times = append(c.times, now)
	if len(c.times) >= crashLimit {
		c.down, c.times = now.Add(crashWindow), nil
	}
}

// forget drops the crashes that are out of the window.
func (c *crashLog) forget(now time.Time) {
	for len(c.times) > 0 && now.Sub(c.times[0]) >= crashWindow {
		c.times = c.times[1:]
	}
}

// pause is how long to wait before the next start.
func (c *crashLog) pause(now time.Time) time.Duration {
	c.forget(now)
	if len(c.times) < 2 {
		return 0
	}
	return firstPause << (len(c.times) - 2)
}

// downUntil tells whether the plugin is down now, and until when.
func (c *crashLog) downUntil(now time.Time) (until time.Time, down bool) {
	return c.down, now.Before(c.down)
}
