package config

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"landgo/internal/image/profile"
	"landgo/internal/result"
)

// Profile is a profile of the user's (docs/profiles.md). Its text is part of the
// configuration, so a bug file replays without the file.
type Profile struct {
	Path string `json:"path,omitempty"`
	Text string `json:"text,omitempty"`
}

// maxProfile bounds a profile's file.
const maxProfile = 1 << 20

// setProfile reads a profile and checks what can be checked without a guest.
func setProfile(c *Config, path string) error {
	if path == "" {
		return fmt.Errorf("want a file's name")
	}
	text, err := result.ReadFile(path, maxProfile)
	if err != nil {
		return err
	}
	p := &Profile{path, string(text)}
	if _, err := p.Parse(); err != nil {
		return err
	}
	c.Profile = p
	return nil
}

// Parse is the profile in the text; nil if there is none.
func (p *Profile) Parse() (*profile.FileProfile, error) {
	if p == nil {
		return nil, nil
	}
	own, err := profile.Parse(p.Path, []byte(p.Text))
	return own, ProfileError(err)
}

// ProfileError adds the nearest name that is known to what is wrong with a
// profile.
func ProfileError(err error) error {
	var e *profile.Error
	if !errors.As(err, &e) {
		return err
	}
	return result.Errorf(result.BadProfile, "%w%s", e, DidYouMean("%s", e.Word, e.Known))
}

func profilePath(p *Profile) []string {
	if p == nil {
		return nil
	}
	return one(p.Path)
}

// Name is a profile for a certificate.
func (p *Profile) Name() string {
	return fmt.Sprintf("%s (sha256 %x)", p.Path, sha256.Sum256([]byte(p.Text)))
}

// AllRules are those of the configuration, after those of its profile: what that
// trusts runs as one piece.
func (c *Config) AllRules() (list []Rule) {
	own, err := c.Profile.Parse()
	if err != nil || own == nil {
		return c.Rules
	}
	for _, f := range own.Trust {
		list = append(list, Rule{Without: true, Function: f.Name})
	}
	return append(list, c.Rules...)
}
