package launch

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// control is the address at which other programs end and start components:
// POST /components/NAME/{start,stop,kill,restart}, GET /lab. Every call carries
// the token of lab.json.
type control struct {
	lab    *Lab
	url    string
	token  string
	server *http.Server
}

func serveControl(l *Lab) (*control, error) {
	token, err := randomToken()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("control address: %w", err)
	}
	c := &control{lab: l, url: "http://" + listener.Addr().String(), token: token}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /lab", c.show)
	mux.HandleFunc("POST /components/{name}/{action}", c.act)
	c.server = &http.Server{Handler: c.authorized(mux), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		if err := c.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			l.fail(fmt.Errorf("control address: %w", err))
		}
	}()
	return c, nil
}

func (c *control) authorized(next http.Handler) http.Handler {
	want := []byte("Bearer " + c.token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			http.Error(w, "want the controlToken of lab.json as bearer token", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (c *control) show(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(c.lab.describe()) // the caller went away
}

func (c *control) act(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	var err error
	switch action := r.PathValue("action"); action {
	case "start":
		err = c.lab.start(r.Context(), name)
	case "stop", "kill":
		err = c.lab.end(name, action == "kill")
	case "restart":
		if err = c.lab.end(name, false); err == nil {
			err = c.lab.start(r.Context(), name)
		}
	default:
		err = fmt.Errorf("action %q: want start, stop, kill or restart", action)
	}
	if err == nil {
		err = c.lab.describe().Write()
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	c.show(w, r)
}

func (c *control) close() {
	if c != nil {
		_ = c.server.Close() // the process is about to end
	}
}
