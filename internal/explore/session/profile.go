package session

import "landgo/internal/explore/config"

// readProfile puts the user's profile over what landgo knows of the guest.
func (p *Program) readProfile() error {
	own, err := p.Config.Profile.Parse()
	if err != nil {
		return err
	}
	if own == nil {
		own = p.Image.BuiltIn()
		p.builtIn = own != nil
	}
	if err := own.Fits(p.Image); err != nil {
		return config.ProfileError(err)
	}
	kernel := own.OwnKernel(p.Image)
	p.profile = own.Over(p.Image.DefaultProfile())
	if kernel != nil {
		p.profile.Kernel = kernel
	}
	p.roles = p.Image.Roles(p.profile)
	return nil
}
