package policy

import (
	"strings"
	"testing"
)

func TestToolFilter(t *testing.T) {
	for _, c := range []struct {
		allow, deny []string
		shown, not  string
	}{
		{nil, nil, "a b", ""},
		{[]string{}, nil, "", "a b"},
		{[]string{"get_*", "list_?"}, nil, "get_a get_ list_a", "forget_a list_ list_ab"},
		{nil, []string{"*_secret", "x"}, "a secret xx", "a_secret _secret x"},
		{[]string{"*"}, []string{"delete_*"}, "a", "delete_a"},
		{[]string{"*a*b*"}, nil, "ab xaxbx éaéb", "ba a b"},
		{[]string{strings.Repeat("*a", 50)}, nil, "", strings.Repeat("a", 40) + "b"},
	} {
		f := Filter{Allow: c.allow, Deny: c.deny}
		for _, name := range strings.Fields(c.shown) {
			if !f.Shows(name, name) {
				t.Errorf("%q, %q: %s is not shown", c.allow, c.deny, name)
			}
		}
		for _, name := range strings.Fields(c.not) {
			if f.Shows(name, name) {
				t.Errorf("%q, %q: %s is shown", c.allow, c.deny, name)
			}
		}
	}
}
