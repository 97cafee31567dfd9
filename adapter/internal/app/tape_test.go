package app

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
)

// step is one line of a recorded conversation. Exactly one of Up, Down, Call and Cut is set.
type step struct {
	Up       json.RawMessage `json:"up,omitempty"`   // SyncRequest
	Down     json.RawMessage `json:"down,omitempty"` // SyncResponse
	Call     string          `json:"call,omitempty"` // method of SchedulerService
	Request  json.RawMessage `json:"request,omitempty"`
	Response json.RawMessage `json:"response,omitempty"`
	Code     string          `json:"code,omitempty"` // of a call; empty for OK
	Cut      bool            `json:"cut,omitempty"`  // the stream was broken here; the next up is a Hello
}

// text is the one JSON form of a message: protojson adds blanks at random.
func text(t *testing.T, message proto.Message) json.RawMessage {
	t.Helper()
	raw, err := protojson.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := json.Compact(&out, raw); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// readable shows bytes that hold JSON as JSON, which is how they stand in a recording.
func readable(t *testing.T, raw json.RawMessage) json.RawMessage {
	t.Helper()
	return rewrite(t, raw, func(value any) any {
		base64Text, _ := value.(string)
		if inner, err := base64.StdEncoding.DecodeString(base64Text); err == nil && len(inner) > 0 {
			return json.RawMessage(inner)
		}
		return value
	})
}

// encoded undoes it.
func encoded(t *testing.T, raw json.RawMessage) json.RawMessage {
	t.Helper()
	return rewrite(t, raw, func(value any) any {
		if inner, ok := value.(map[string]any); ok {
			out, err := json.Marshal(inner)
			if err != nil {
				t.Fatal(err)
			}
			return out // as base 64
		}
		return value
	})
}

// rewrite changes the values of `json` and `object`, the names of fields that hold JSON. Keys are
// sorted afterwards.
func rewrite(t *testing.T, raw json.RawMessage, change func(any) any) json.RawMessage {
	t.Helper()
	if !bytes.Contains(raw, []byte(`"json":`)) && !bytes.Contains(raw, []byte(`"object":`)) {
		return raw
	}
	message := sorted(t, raw)
	walk(message, change)
	out, err := json.Marshal(message)
	if err == nil { // what was changed may have another order of keys
		out, err = json.Marshal(sorted(t, out))
	}
	if err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return out
}

func sorted(t *testing.T, raw json.RawMessage) (value any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return value
}

func walk(value any, change func(any) any) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if key == "json" || key == "object" {
				v[key] = change(inner)
			} else {
				walk(inner, change)
			}
		}
	case []any:
		for _, inner := range v {
			walk(inner, change)
		}
	}
}

func parse[M proto.Message](t *testing.T, raw json.RawMessage, into M) M {
	t.Helper()
	if err := protojson.Unmarshal(raw, into); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return into
}

// tape is a conversation in the order in which it was seen between the two sides.
type tape struct {
	t     *testing.T
	mu    sync.Mutex
	steps []*step
	ups   []*pb.SyncRequest
	downs []*pb.SyncResponse
	news  chan struct{}
}

func newTape(t *testing.T) *tape { return &tape{t: t, news: make(chan struct{})} }

// add notes a step before it is handed on, so that what it causes is noted after it.
func (c *tape) add(s *step, up *pb.SyncRequest, down *pb.SyncResponse) *step {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.steps = append(c.steps, s)
	if up != nil {
		c.ups = append(c.ups, up)
	}
	if down != nil {
		c.downs = append(c.downs, down)
	}
	close(c.news)
	c.news = make(chan struct{})
	return s
}

func (c *tape) up(m *pb.SyncRequest) {
	if hello := m.GetHello(); hello != nil { // what differs in each run and release
		m = proto.CloneOf(m)
		m.GetHello().AdapterId, m.GetHello().AdapterVersion = "adapter", "any"
	}
	c.add(&step{Up: text(c.t, m)}, m, nil)
}

// Times that are written for users to read are those of the clock, and how long something has taken.
var (
	clockTimes = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"`)
	durations  = regexp.MustCompile(`"waited":"[^"]*"`)
)

func (c *tape) down(m *pb.SyncResponse) {
	if m.GetPatch() != nil {
		m = proto.CloneOf(m)
		body := clockTimes.ReplaceAll(m.GetPatch().Json, []byte(`"2026-01-01T00:00:00Z"`))
		m.GetPatch().Json = durations.ReplaceAll(body, []byte(`"waited":"1d"`))
	}
	c.add(&step{Down: text(c.t, m)}, nil, m)
}

// await waits until is() holds of what has been said; is() runs under the lock.
func (c *tape) await(what string, is func() bool) {
	c.t.Helper()
	late := time.After(patience)
	for {
		c.mu.Lock()
		done, news := is(), c.news
		c.mu.Unlock()
		if done {
			return
		}
		select {
		case <-news:
		case <-late:
			c.t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

func (c *tape) awaitUp(what string, match func(*pb.SyncRequest) bool) {
	c.t.Helper()
	c.await(what, func() bool { return slices.ContainsFunc(c.ups, match) })
}

func (c *tape) awaitDown(what string, match func(*pb.SyncResponse) bool) {
	c.t.Helper()
	c.await(what, func() bool { return slices.ContainsFunc(c.downs, match) })
}

func (c *tape) dump() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(lines(c.t, c.steps...))
}

// lines are the steps as they stand in a recording.
func lines(t *testing.T, steps ...*step) []byte {
	t.Helper()
	var out bytes.Buffer
	for _, s := range steps {
		shown := *s
		shown.Up, shown.Down = readable(t, s.Up), readable(t, s.Down)
		line, err := json.Marshal(shown)
		if err != nil {
			line = fmt.Appendf(nil, "%v", err)
		}
		out.Write(append(line, '\n'))
	}
	return out.Bytes()
}

func readTape(t *testing.T, path string) (steps []*step) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatalf("%v; scripts/record.sh makes it", err)
	}
	defer func() { _ = file.Close() }()
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 16<<20)
	for scanner.Scan() {
		s := &step{}
		if err := json.Unmarshal(scanner.Bytes(), s); err != nil {
			t.Fatalf("%s: %v in %s", path, err, scanner.Bytes())
		}
		s.Up, s.Down = encoded(t, s.Up), encoded(t, s.Down)
		steps = append(steps, s)
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	return steps
}

func codeOf(name string) codes.Code {
	for code := codes.OK; code <= codes.Unauthenticated; code++ {
		if code.String() == name {
			return code
		}
	}
	return codes.OK
}

// parts are what a message up says, one item for each object, so that it does not matter how changes
// were packed into frames.
func parts(t *testing.T, up *pb.SyncRequest) (items []string) {
	t.Helper()
	item := func(kind string, message proto.Message) {
		items = append(items, kind+" "+string(readable(t, text(t, message))))
	}
	switch m := up.Message.(type) {
	case *pb.SyncRequest_Changes:
		for _, name := range m.Changes.RemovedNodeNames {
			items = append(items, "node gone "+name)
		}
		for _, node := range m.Changes.Nodes {
			item("node", node)
		}
		for _, uid := range m.Changes.RemovedPodUids {
			items = append(items, "pod gone "+uid)
		}
		for _, pod := range m.Changes.Pods {
			item("pod", pod)
		}
		rest := proto.CloneOf(m.Changes)
		rest.RemovedNodeNames, rest.Nodes, rest.RemovedPodUids, rest.Pods = nil, nil, nil, nil
		if proto.Size(rest) > 0 { // kinds of objects that this test does not know
			item("changes", rest)
		}
	default:
		item("up", up)
	}
	for i := range items {
		items[i] = fmt.Sprintf("epoch %d: %s", up.Epoch, items[i])
	}
	return items
}

// differences says what only one of two sets of items has.
func differences(want, have map[string]bool) string {
	var out []string
	for item := range want {
		if !have[item] {
			out = append(out, "- "+item)
		}
	}
	for item := range have {
		if !want[item] {
			out = append(out, "+ "+item)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}
