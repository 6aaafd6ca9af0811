package queue

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/nats-io/nats-server/v2/server"

	"landgo/internal/grade/flags"
	"landgo/internal/result"
)

// Server is a NATS server in this process.
type Server struct {
	server *server.Server
	tls    bool
}

// Serve starts a server at an address, with its files in a folder. A client needs the token of
// q's file, which is made if it isn't there; q has its path then.
func Serve(address, dir string, q *flags.Queue) (*Server, error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return nil, result.Errorf(result.Usage, "--serve: %w", err)
	}
	port, err := strconv.Atoi(text)
	if err != nil || port < 0 || port > 65535 {
		return nil, result.Errorf(result.Usage, "--serve: want a port, got %q", text)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, result.Errorf(result.Unwritable, "%w", err)
	}
	if q.Token == "" {
		q.Token = filepath.Join(dir, "token")
	}
	token, err := makeToken(q.Token)
	if err != nil {
		return nil, err
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	o := &server.Options{ServerName: "landgo", Host: host, Port: port, JetStream: true, StoreDir: dir, Authorization: token, NoLog: true, NoSigs: true}
	if q.Cert != "" {
		tls := server.TLSConfigOpts{CertFile: q.Cert, KeyFile: q.Key, CaFile: q.CA, Verify: q.CA != ""}
		if o.TLSConfig, err = server.GenTLSConfig(&tls); err != nil {
			return nil, result.Errorf(result.NoQueue, "--tls-cert: %w", err)
		}
		o.TLS, o.TLSTimeout = true, patience.Seconds()
	}
	if port > 0 { // the server itself would end the process
		probe, err := net.Listen("tcp", address)
		if err != nil {
			return nil, result.Errorf(result.NoQueue, "--serve: %w", err)
		}
		probe.Close()
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, result.Errorf(result.NoQueue, "--serve: %w", err)
	}
	s.Start()
	if !s.ReadyForConnections(patience) || !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, result.Errorf(result.NoQueue, "--serve %s: the server doesn't start; is %s whole, and is there room?", address, dir)
	}
	return &Server{s, q.Cert != ""}, nil
}

// URL is where workers find the server.
func (s *Server) URL() string {
	scheme := "nats://"
	if s.tls {
		scheme = "tls://"
	}
	return scheme + s.server.Addr().String()
}

// Close ends the server; nil is none.
func (s *Server) Close() {
	if s != nil {
		s.server.Shutdown()
		s.server.WaitForShutdown()
	}
}

// readToken reads a token's file.
func readToken(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", result.FileError(err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", result.Errorf(result.NoQueue, "--token-file %s: it is empty", path)
	}
	return token, nil
}

// makeToken reads a token's file, or makes one that only this user can read.
func makeToken(path string) (string, error) {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return readToken(path)
	}
	var random [24]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", err
	}
	token := hex.EncodeToString(random[:])
	if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
		return "", result.Errorf(result.Unwritable, "%w", err)
	}
	return token, nil
}
