package session

import "landgo/explore/config"

// readProfile puts the user's profile over what landgo knows of the guest.
func (s *Session) readProfile() error {
	own, err := s.Config.Profile.Parse()
	if err != nil {
		return err
	}
	if own == nil {
		own = s.Image.BuiltIn()
		s.builtIn = own != nil
	}
	if err := own.Fits(s.Image); err != nil {
		return config.ProfileError(err)
	}
	kernel := own.OwnKernel(s.Image)
	s.profile = own.Over(s.Image.DefaultProfile())
	if kernel != nil {
		s.profile.Kernel = kernel
	}
	s.roles = s.Image.Roles(s.profile)
	return nil
}
