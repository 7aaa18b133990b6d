package terminals

import "ctxfs/fs"

// OpTmux records the panes of running tmux servers, see [Provider.AdoptTmux].
var OpTmux = fs.Op[fs.None, Adopted]{Name: "tmux", Slow: true}

// Operations implements fs.Operator.
func (p *Provider) Operations() []fs.Operation { return []fs.Operation{OpTmux.Handle(p.AdoptTmux)} }
