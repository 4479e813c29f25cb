package repl

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/serena-go/serena/sdk"
)

// Execute runs a cell and waits for its end. Cells of one runtime run one after the other; the wait for an earlier one counts for ctx
// and not for timeout. A timeout of 0 or less is none.
//
// When ctx or timeout ends first the cell is interrupted. If it stops within two seconds the session lives on: after a timeout the result's
// Failure is a TimeoutError, after the end of ctx its error is returned. If it does not, its process is killed.
//
// An error means that the cell did not run to its end; the result holds what it had put out until then. An error that is ErrGone
// (errors.Is) means that the session's variables are lost. A Python error of the cell is no error but the result's Failure.
func (r *Runtime) Execute(ctx context.Context, code string, timeout time.Duration) (Result, error) {
	if err := r.takeTurn(ctx); err != nil {
		return Result{}, err
	}
	defer func() { <-r.turn }()
	c := r.begin(code)
	defer r.end()

	var limit <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		limit = timer.C
	}
	select {
	case result := <-c.done:
		return result, nil
	case <-r.dead:
		return r.lost(c)
	case <-ctx.Done():
		return r.cancel(c, ctx.Err())
	case <-limit:
		return r.timeOut(c, timeout)
	}
}

// takeTurn waits until nothing is under way. The turn must be given back.
func (r *Runtime) takeTurn(ctx context.Context) error {
	select {
	case r.turn <- struct{}{}:
		return nil
	case <-r.dead:
		return r.Err()
	case <-ctx.Done():
		return fmt.Errorf("cancelled while an earlier cell of the session was still running: %w", ctx.Err())
	}
}

// namesPrefix begins the ids of the list_names that go with cells.
const namesPrefix = "n"

// begin sends the cell and, right behind it, the question for the names that there are after it: should a later cell end the
// process, it is known what went with it, and nobody waits for the answer.
func (r *Runtime) begin(code string) *cell {
	b := r.attached()
	r.mu.Lock()
	r.cells++
	number := strconv.Itoa(r.cells)
	c := &cell{id: "c" + number, done: make(chan Result, 1)}
	r.cell = c
	r.mu.Unlock()
	r.send(map[string]any{
		"type": "execute", "id": c.id, "code": code,
		"serena": placeOf(b),
	})
	r.send(map[string]any{"type": "list_names", "id": namesPrefix + number})
	return c
}

// placeOf tells Python where the next request works.
func placeOf(b Backend) map[string]string {
	return map[string]string{"generation": b.Generation(), "root": b.Root()}
}

func (r *Runtime) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cell = nil
}

// lost answers for a cell whose process has ended, with what had come.
func (r *Runtime) lost(c *cell) (Result, error) {
	select {
	case result := <-c.done: // its last act
		return result, nil
	default:
		return r.take(), r.Err()
	}
}

func (r *Runtime) cancel(c *cell, cause error) (Result, error) {
	result, stopped := r.interrupt(c)
	if !stopped {
		return result, fmt.Errorf("the cell was cancelled (%w), did not stop within %v, and its Python was ended; %w", cause, interruptGrace, ErrGone)
	}
	if result.Failure == nil {
		return result, nil // it was done anyway
	}
	return result, fmt.Errorf("the cell was cancelled: %w", cause)
}

func (r *Runtime) timeOut(c *cell, timeout time.Duration) (Result, error) {
	const remedy = "raise `repl_cell_timeout` (seconds) in serena_config.yml or the project's configuration, or split the work"
	result, stopped := r.interrupt(c)
	if !stopped {
		return result, sdk.Errorf(sdk.KindTimeout, "the cell ran longer than %s, did not stop within %v of the interrupt, and its Python was ended: %w. To allow more time, %s",
			seconds(timeout), interruptGrace, ErrGone, remedy)
	}
	if f := result.Failure; f != nil && f.Name == "KeyboardInterrupt" {
		text := fmt.Sprintf("the cell ran longer than %s and was interrupted; its variables are kept. To allow more time, %s", seconds(timeout), remedy)
		result.Failure = &CellError{Name: "TimeoutError", Value: text, Traceback: append(f.Traceback, "TimeoutError: "+text+"\n")}
	}
	return result, nil
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
}

// interrupt stops a cell: by asking or, two seconds later, by killing the process; stopped is false then.
func (r *Runtime) interrupt(c *cell) (result Result, stopped bool) {
	r.sendInterrupt(c.id)
	grace := time.NewTimer(interruptGrace)
	defer grace.Stop()
	select {
	case result = <-c.done:
		result.Interrupted = true
		return result, true
	case <-r.dead:
	case <-grace.C:
	}
	if err := r.kill(); err != nil {
		r.log.Error("a cell's Python cannot be ended", "error", err)
	}
	result = r.take()
	result.Interrupted = true
	return result, false
}

// take returns what has been collected and begins anew.
func (r *Runtime) take() Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.takeLocked()
}

func (r *Runtime) takeLocked() Result {
	result := r.collected.result()
	r.collected = newCollector()
	return result
}

func (r *Runtime) sendInterrupt(id string) {
	r.send(map[string]any{"type": "interrupt", "id": id}) // behind its request, or it would concern nothing
}

// send queues a frame of plain data, which always has a JSON form.
func (r *Runtime) send(frame map[string]any) {
	if err := r.out.send(frame); err != nil {
		r.log.Error("a frame for Python could not be made", "error", err)
	}
}
