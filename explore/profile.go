package explore

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"landgo/image"
	"landgo/result"
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
	if _, err := p.parse(); err != nil {
		return err
	}
	c.Profile = p
	return nil
}

// parse is what the text says; nil if there is none.
func (p *Profile) parse() (*image.FileProfile, error) {
	if p == nil {
		return nil, nil
	}
	own, err := image.ParseProfile(p.Path, []byte(p.Text))
	return own, profileError(err)
}

// profileError adds the nearest name that is known to what is wrong with a
// profile.
func profileError(err error) error {
	var e *image.ProfileError
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

// name is a profile for a certificate.
func (p *Profile) name() string {
	return fmt.Sprintf("%s (sha256 %x)", p.Path, sha256.Sum256([]byte(p.Text)))
}

// rules are those of the configuration, after those of its profile: what that
// trusts runs as one piece.
func (c *Config) rules() (list []Rule) {
	own, err := c.Profile.parse()
	if err != nil || own == nil {
		return c.Rules
	}
	for _, f := range own.Trust {
		list = append(list, Rule{Without: true, Function: f.Name})
	}
	return append(list, c.Rules...)
}
