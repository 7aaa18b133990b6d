package sessions

import (
	"slices"
	"testing"
)

func TestStaleOptions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		o       staleOptions
		args    []string
		session string
		files   []string
		fault   string
	}{
		{},
		{args: []string{"0894"}, session: "0894"},
		{o: staleOptions{session: "0894"}, session: "0894"},
		{o: staleOptions{session: "0894"}, args: []string{"0894"}, fault: "the session is named twice"},
		{args: []string{"0894", "a"}, fault: "one session is compared, not 2; to name files, add --diff or --guard"},
		{args: []string{""}, fault: "the name of the session is empty"},
		{o: staleOptions{diff: true}},
		{o: staleOptions{diff: true}, args: []string{"a", "b"}, files: []string{"a", "b"}},
		{o: staleOptions{guard: true, session: "0894"}, args: []string{"a"}, session: "0894", files: []string{"a"}},
		{o: staleOptions{guard: true}, fault: "name the files that are to be edited"},
		{o: staleOptions{guard: true}, args: []string{"a", ""}, fault: "the name of the file is empty"},
	} {
		o := c.o
		err := o.settle(c.args)
		if (err != nil) != (c.fault != "") || err != nil && err.Error() != c.fault {
			t.Errorf("%+v %q: %v", c.o, c.args, err)
		} else if err == nil && (o.session != c.session || !slices.Equal(o.files, c.files)) {
			t.Errorf("%+v %q: %+v", c.o, c.args, o)
		}
	}
}
