package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha512"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestBehindAProxy: on a machine whose proxy has a certificate authority of its own, npx
// installs a server with the variables of the shell that mounts; without them the error quotes
// what npm says in its log.
func TestBehindAProxy(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("npx"); err != nil {
		t.Skip("npx is missing")
	}
	b := newBox(t)
	address, authority := tlsProxy(t, registryOf(t, "odd-server", "#!/bin/sh\nexec "+stubPath()+"\n"))
	b.write("company.pem", string(authority))
	for name, value := range map[string]string{
		"HTTPS_PROXY": "http://" + address, "npm_config_registry": "https://registry.test/", "npm_config_fetch_retry_mintimeout": "1",
		"npm_config_fetch_retry_maxtimeout": "1", "npm_config_update_notifier": "false", "npm_config_audit": "false",
		"npm_config_globalconfig": filepath.Join(b.home, "none"), // the machine's may name authorities
	} {
		b.setenv(name, value)
	}
	b.servers["odd"] = map[string]any{"command": "npx", "args": []string{"-y", "odd-server"}, "env": map[string]string{stubMode: ""}}
	b.configure()
	b.mount()
	b.server("odd", "error", "SELF_SIGNED_CERT_IN_CHAIN")
	b.setenv("NODE_EXTRA_CA_CERTS", filepath.Join(b.home, "company.pem"))
	b.ok("restart", "odd")
	b.ready("odd")
}

// registryOf is a registry of npm with one package, whose program is a script.
func registryOf(t *testing.T, name, script string) http.Handler {
	t.Helper()
	var archive bytes.Buffer
	z := gzip.NewWriter(&archive)
	files := tar.NewWriter(z)
	manifest := fmt.Sprintf(`{"name":%q,"version":"1.0.0","bin":{%q:"run.sh"}}`, name, name)
	for file, text := range map[string]string{"package.json": manifest, "run.sh": script} {
		must(t, files.WriteHeader(&tar.Header{Name: "package/" + file, Mode: 0o755, Size: int64(len(text))}))
		_, err := files.Write([]byte(text))
		must(t, err)
	}
	must(t, files.Close())
	must(t, z.Close())
	sum := sha512.Sum512(archive.Bytes())
	mux := http.NewServeMux()
	mux.HandleFunc("/"+name, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"name":%q,"dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":%q,"version":"1.0.0","bin":{%q:"run.sh"},"dist":{"tarball":"https://%s/%s.tgz","integrity":"sha512-%s"}}}}`,
			name, name, name, r.Host, name, base64.StdEncoding.EncodeToString(sum[:]))
	})
	mux.HandleFunc("/"+name+".tgz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive.Bytes()) })
	return mux
}

// tlsProxy is a proxy that answers for every host itself, with certificates of an authority of
// its own.
func tlsProxy(t *testing.T, hosts http.Handler) (address string, authority []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	certificate := func(c, parent *x509.Certificate) []byte {
		c.SerialNumber, c.NotBefore, c.NotAfter = big.NewInt(time.Now().UnixNano()), time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
		der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, key)
		must(t, err)
		return der
	}
	root := &x509.Certificate{Subject: pkix.Name{CommonName: "The Company"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der := certificate(root, root)
	inner := &http.Server{Handler: hosts}
	answered := make(chan net.Conn)
	listener := connections{answered, make(chan struct{})}
	go func() { _ = inner.Serve(listener) }()
	settings := &tls.Config{GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		leaf := certificate(&x509.Certificate{Subject: pkix.Name{CommonName: hello.ServerName}, DNSNames: []string{hello.ServerName}}, root)
		return &tls.Certificate{Certificate: [][]byte{leaf, der}, PrivateKey: key}, nil
	}}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = conn.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n"))
		select {
		case answered <- tls.Server(conn, settings):
		case <-listener.closed:
			conn.Close()
		}
	}))
	t.Cleanup(func() {
		inner.Close()
		proxy.Close()
	})
	return proxy.Listener.Addr().String(), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// connections is a listener whose connections are given to it.
type connections struct {
	given  chan net.Conn
	closed chan struct{}
}

func (c connections) Accept() (net.Conn, error) {
	select {
	case conn := <-c.given:
		return conn, nil
	case <-c.closed:
		return nil, net.ErrClosed
	}
}

func (c connections) Close() error   { close(c.closed); return nil }
func (c connections) Addr() net.Addr { return &net.TCPAddr{} }
