package session

import (
	"landgo/internal/explore/config"
	"landgo/internal/image/profile"
)

// readProfile puts landgo's own profile of a known kernel over what it knows of any
// guest, and the user's profile over that. A user's profile that describes the kernel
// itself takes the place of landgo's own.
func (p *Program) readProfile() error {
	own, err := p.Config.Profile.Parse()
	if err != nil {
		return err
	}
	if err := own.Fits(p.Image.Info); err != nil {
		return config.ProfileError(err)
	}
	kernel, over := own.OwnKernel(p.Image.Info), (*profile.FileProfile)(nil)
	if kernel == nil {
		over, p.misfit = profile.BuiltIn(p.Image.Info)
	}
	if over != nil {
		p.builtIn, kernel = over.File, over.OwnKernel(p.Image.Info)
	}
	base := over.Over(profile.Default(p.Image.Info))
	if p.profile = own.Over(base); kernel != nil {
		p.profile.Kernel = kernel
	}
	p.roles = profile.Roles(p.Image.Info, p.profile)
	p.judged = p.judges()
	return nil
}
