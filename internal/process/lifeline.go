package process

import (
	"fmt"
	"os"
	"strconv"
)

// LifelineFromEnv is the child's side of Options.Lifeline: it returns the descriptor that the environment variable names, and
// removes the variable, so that our own children do not take the number for theirs. found is false when it is not set: the program
// was started by hand. An error means that the variable is set to something that is no inherited pipe.
func LifelineFromEnv(name string) (fd int, found bool, err error) {
	value, found := os.LookupEnv(name)
	if !found {
		return 0, false, nil
	}
	os.Unsetenv(name)
	fd, err = strconv.Atoi(value)
	if err != nil || fd < 3 {
		return 0, true, fmt.Errorf("%s=%q is no descriptor of a lifeline (3 or more); unset it to run without a parent", name, value)
	}
	if err := takePipe(fd); err != nil {
		return 0, true, fmt.Errorf("%s=%d is not an inherited pipe: %w; unset it to run without a parent", name, fd, err)
	}
	return fd, true, nil
}
