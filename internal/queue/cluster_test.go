package queue

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"math/rand"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"landgo/internal/grade/flags"
	"landgo/internal/result"
)

// ports are free ones.
func ports(t *testing.T, n int) (all []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // at the end, so that all differ
		all = append(all, l.Addr().(*net.TCPAddr).Port)
	}
	return all
}

// cluster is three servers on this machine.
type cluster struct {
	options []*server.Options
	servers []*server.Server
	urls    []string
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	const size = 3
	free := ports(t, 2*size)
	var routes []*url.URL
	for _, p := range free[size:] {
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", p)})
	}
	c := &cluster{servers: make([]*server.Server, size)}
	for i := range size {
		c.options = append(c.options, &server.Options{ServerName: fmt.Sprint("n", i), Host: "127.0.0.1", Port: free[i], JetStream: true, StoreDir: t.TempDir(),
			Cluster: server.ClusterOpts{Name: "c", Host: "127.0.0.1", Port: free[size+i]}, Routes: routes, NoLog: true, NoSigs: true})
		c.urls = append(c.urls, fmt.Sprintf("nats://127.0.0.1:%d", free[i]))
		c.start(t, i)
	}
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		for _, s := range c.servers {
			if s.JetStreamIsLeader() && len(s.JetStreamClusterPeers()) == size {
				return c
			}
		}
		if time.Since(begin) > time.Minute {
			t.Fatal("the servers don't find each other")
		}
	}
}

func (c *cluster) start(t *testing.T, i int) { c.servers[i] = begin(t, c.options[i].Clone()) }

func (c *cluster) stop(i int) {
	c.servers[i].Shutdown()
	c.servers[i].WaitForShutdown()
}

// TestWaitFor: servers that are finding their leader are waited for longer than what
// won't change.
func TestWaitFor(t *testing.T) {
	for err, want := range map[error]time.Duration{
		fmt.Errorf("the queue of jobs: %w", context.DeadlineExceeded):                      12 * patience,
		&jetstream.APIError{Code: 503, ErrorCode: noLeader}:                                12 * patience,
		fmt.Errorf("the outcomes: %w", &jetstream.APIError{Code: 400, ErrorCode: noPeers}): 2 * patience,
		jetstream.ErrJetStreamNotEnabled:                                                   2 * patience,
		nats.ErrNoResponders:                                                               2 * patience,
		&jetstream.APIError{Code: 400, ErrorCode: jetstream.JSErrCodeStreamNameInUse}:      0,
	} {
		if got := waitFor(err); got != want {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
	}
}

// TestCluster: with three servers, where one goes at a time, and workers that are
// killed, the tables are those of an undisturbed class, byte for byte.
func TestCluster(t *testing.T) {
	const students = 10
	dir := t.TempDir()
	want := tables(t, class(t, dir, "local", students))
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewSource(seed))
	servers := newCluster(t)
	e := &fake{took: 60 * time.Millisecond}
	machines := []*machine{newMachine(t, e, 1, servers.urls...), newMachine(t, e, 1, servers.urls...)}
	c := class(t, dir, "run", students)
	c.Post = open(t, servers.urls...)
	over := make(chan bool)
	var got string
	go func() {
		defer close(over)
		if table, err := c.Run(context.Background()); err != nil {
			t.Error(err)
		} else {
			got = textOf(table)
		}
	}()
	kills := 0
	for running := true; running; {
		select {
		case <-over:
			running = false
		case <-time.After(time.Duration(50+random.Intn(250)) * time.Millisecond):
			if kills >= 6 {
				continue // or the class might never end
			}
			i := random.Intn(len(machines))
			machines[i].kill()
			machines[i] = newMachine(t, e, 1, servers.urls...)
			if kills++; kills == 3 {
				i := random.Intn(len(servers.servers))
				servers.stop(i)
				time.Sleep(300 * time.Millisecond)
				servers.start(t, i)
			}
		}
	}
	if got != want {
		t.Errorf("after %d kills:\n%s\nwant\n%s", kills, got, want)
	}
	again := 0
	for text, n := range e.runs {
		if again += n - 1; n > kills+2 {
			t.Errorf("%s ran %d times", text, n)
		}
	}
	if info, err := machines[0].q.jobs.Info(context.Background()); err != nil || info.NumPending > 0 {
		t.Errorf("jobs are left: %+v, %v", info, err)
	}
	t.Logf("%d kills, %d jobs were done again", kills, again)
}

// TestResume: a front that is killed finds what was done meanwhile; a server that is
// killed and comes back has all; and no job is done twice.
func TestResume(t *testing.T) {
	const students = 8
	dir, files := t.TempDir(), t.TempDir()
	want := tables(t, class(t, dir, "local", students))
	port := ports(t, 1)[0]
	s := one(t, files, port)
	e := &fake{took: 40 * time.Millisecond}
	newMachine(t, e, 2, s.ClientURL())
	c := class(t, dir, "run", students)
	front := open(t, s.ClientURL())
	c.Post = front
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if _, err := c.Run(ctx); err == nil {
		t.Log("the front was too fast")
	}
	front.conn.Close()
	c.Store.Close()
	s.Shutdown()
	s.WaitForShutdown()
	time.Sleep(100 * time.Millisecond)
	s = one(t, files, port)
	c = class(t, dir, "run", students)
	c.Post = open(t, s.ClientURL())
	if got := tables(t, c); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	twice := 0
	for _, n := range e.runs {
		twice += n - 1
	}
	if len(e.runs) != 2*students || twice > 2 { // those that were at work when the server went
		t.Errorf("%d jobs, %d of them again", len(e.runs), twice)
	}
}

// TestForgetful: a server that comes back with nothing gets all again.
func TestForgetful(t *testing.T) {
	dir := t.TempDir()
	want := tables(t, class(t, dir, "local", 6))
	port := ports(t, 1)[0]
	s := one(t, t.TempDir(), port)
	e := &fake{took: 100 * time.Millisecond}
	newMachine(t, e, 1, s.ClientURL())
	c := class(t, dir, "run", 6)
	c.Post = open(t, s.ClientURL())
	go func() {
		time.Sleep(400 * time.Millisecond)
		s.Shutdown()
		s.WaitForShutdown()
		one(t, t.TempDir(), port)
	}()
	if got := tables(t, c); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// certificate makes a certificate for this machine, which is its own authority.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), crand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "landgo"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(crand.Reader, about, about, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600)
	os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret}), 0o600)
	return cert, key
}

// TestServe: landgo's own server lets in clients with the token, and by TLS those
// that know its authority; errors name the server without its password.
func TestServe(t *testing.T) {
	cert, key := certificate(t)
	own := flags.Queue{Cert: cert, Key: key}
	s, err := Serve("127.0.0.1:0", filepath.Join(t.TempDir(), "nats"), &own)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if info, err := os.Stat(own.Token); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token's file: %v, %v", info, err)
	}
	inside, err := Open(context.Background(), Options{Queue: own, Server: s, Version: "v"})
	if err != nil {
		t.Fatal(err)
	}
	inside.Close()
	wrong := filepath.Join(t.TempDir(), "wrong")
	os.WriteFile(wrong, []byte("wrong\n"), 0o600)
	for _, c := range []struct {
		name string
		q    flags.Queue
		good bool
	}{
		{"all", flags.Queue{Token: own.Token, CA: cert}, true},
		{"no token", flags.Queue{CA: cert}, false},
		{"another token", flags.Queue{Token: wrong, CA: cert}, false},
		{"no authority", flags.Queue{Token: own.Token}, false},
	} {
		c.q.URLs = []string{s.URL()}
		q, err := Open(context.Background(), Options{Queue: c.q, Version: "v"})
		if (err == nil) != c.good || err != nil && result.KindOf(err) != result.NoQueue {
			t.Errorf("%s: %v", c.name, err)
		}
		if err == nil {
			q.Close()
		}
	}
	if _, err := Serve(s.server.Addr().String(), t.TempDir(), &flags.Queue{}); result.KindOf(err) != result.NoQueue {
		t.Errorf("a port that is taken: %v", err)
	}
	q := Queue{o: Options{Queue: flags.Queue{URLs: []string{"nats://me:secret@a", "tls://b:1"}}}}
	if got := q.where(); got != "nats://a,tls://b:1" {
		t.Error(got)
	}
}
