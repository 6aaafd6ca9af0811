package explore

import "landgo/explore/config"

// readProfile puts the user's profile over what landgo knows of the guest.
func (s *Session) readProfile() error {
	own, err := s.cfg.Profile.Parse()
	if err != nil {
		return err
	}
	if own == nil {
		own = s.img.BuiltIn()
		s.builtIn = own != nil
	}
	if err := own.Fits(s.img); err != nil {
		return config.ProfileError(err)
	}
	kernel := own.OwnKernel(s.img)
	s.profile = own.Over(s.img.DefaultProfile())
	if kernel != nil {
		s.profile.Kernel = kernel
	}
	s.roles = s.img.Roles(s.profile)
	return nil
}
