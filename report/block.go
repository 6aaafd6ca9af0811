package report

import (
	"fmt"

	"landgo/result"
)

// block says where a block of memory came from and went.
func (p *page) block(b *result.Block) {
	if b == nil {
		return
	}
	p.blank()
	p.line("Block of %s at %v:", count(b.Size, "byte"), b.Address)
	p.origin("allocated", &b.Allocated)
	if b.Freed != nil {
		p.origin("freed", b.Freed)
	}
}

func (p *page) origin(what string, o *result.Origin) {
	p.wrap("  ", fmt.Sprintf("%s by %s in %s", what, o.Thread, p.where(result.Innermost(o.Stack))))
}
