package mirror

import (
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
	"phalanx.dev/adapter/internal/metrics"
)

// Outbox collects what the brain has to hear: the newest version of each changed object, and facts in
// their order. It is closed, and forgets, while no stream takes from it: a new epoch begins with all
// objects and with the facts that still hold. Safe for use by many goroutines.
type Outbox struct {
	mu    sync.Mutex
	open  bool
	dirty changes
	facts []*pb.SyncRequest
	kick  chan struct{}
}

// changes are the newest versions (*v1.Node, *v1.Pod, *unstructured.Unstructured) by key; nil: it is
// gone. A key is the kind and the name of a node, the UID of a pod, or see objectKey.
type changes map[string]any

const nodeKey, objectPrefix, podKey = "n/", "o/", "p/" // in the order in which they travel

// NewOutbox makes a closed one.
func NewOutbox() *Outbox { return &Outbox{dirty: changes{}, kick: make(chan struct{}, 1)} }

// Kick has an element when there is something to take.
func (o *Outbox) Kick() <-chan struct{} { return o.kick }

func (o *Outbox) put(change func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.open {
		return
	}
	change()
	select {
	case o.kick <- struct{}{}:
	default:
	}
}

// Node notes that the node is new or has changed.
func (o *Outbox) Node(node *v1.Node) { o.put(func() { o.dirty[nodeKey+node.Name] = node }) }

// NodeGone notes that the node was deleted.
func (o *Outbox) NodeGone(name string) { o.put(func() { o.dirty[nodeKey+name] = nil }) }

// Pod notes that the pod is new or has changed.
func (o *Outbox) Pod(pod *v1.Pod) { o.put(func() { o.dirty[podKey+string(pod.UID)] = pod }) }

// PodGone notes that the pod was deleted.
func (o *Outbox) PodGone(uid types.UID) { o.put(func() { o.dirty[podKey+string(uid)] = nil }) }

func (o *Outbox) object(key string, object any) { o.put(func() { o.dirty[key] = object }) }

// Fact sends a state that a member has reached.
func (o *Outbox) Fact(fact *pb.MemberFact) {
	o.send(&pb.SyncRequest{Message: &pb.SyncRequest_MemberFact{MemberFact: fact}})
}

// Conflict sends a disagreement with a plan.
func (o *Outbox) Conflict(c *pb.Conflict) {
	metrics.Conflicts.WithLabelValues(c.Plugin, metrics.Stage(c.Stage)).Inc()
	o.send(&pb.SyncRequest{Message: &pb.SyncRequest_Conflict{Conflict: c}})
}

// Result sends how a directive ended.
func (o *Outbox) Result(r *pb.DirectiveResult) {
	o.send(&pb.SyncRequest{Message: &pb.SyncRequest_DirectiveResult{DirectiveResult: r}})
}

// Leadership sends whether directives are carried out.
func (o *Outbox) Leadership(leading bool) {
	o.send(&pb.SyncRequest{Message: &pb.SyncRequest_Leadership{Leadership: &pb.Leadership{Leading: leading}}})
}

func (o *Outbox) send(message *pb.SyncRequest) {
	o.put(func() { o.facts = append(o.facts, message) })
}

// Open begins an epoch. all is called under the lock, so that no change is missed between the listing
// and what follows: it lists every object that the brain has to know.
func (o *Outbox) Open(all func(into changes)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open, o.facts, o.dirty = true, nil, changes{}
	all(o.dirty)
}

// Close drops what is left, and everything until the next Open.
func (o *Outbox) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open, o.facts, o.dirty = false, nil, changes{}
}

func (o *Outbox) take() (changes, []*pb.SyncRequest) {
	o.mu.Lock()
	defer o.mu.Unlock()
	dirty, facts := o.dirty, o.facts
	o.dirty, o.facts = changes{}, nil
	return dirty, facts
}

// Packer turns what the outbox holds into frames of one epoch. Objects that did not change in any
// field that travels are left out. For one goroutine.
type Packer struct {
	Wanted   Wanted
	Late     Late
	MaxBytes int

	seed maphash.Seed
	sent map[string]uint64 // hash of the last version that travelled
}

// frameRoom is kept free in each frame for the envelope.
const frameRoom = 256

// NewPacker begins an epoch, in which nothing has travelled.
func NewPacker(wanted Wanted, late Late, maxBytes int) *Packer {
	return &Packer{Wanted: wanted, Late: late, MaxBytes: maxBytes, seed: maphash.MakeSeed(), sent: map[string]uint64{}}
}

// Frames takes everything from the outbox: what is gone, then nodes, objects and pods, then facts.
func (p *Packer) Frames(o *Outbox) []*pb.SyncRequest {
	dirty, facts := o.take()
	b := &batch{limit: p.MaxBytes - frameRoom}
	for key, object := range dirty {
		if object != nil || !p.forget(key) {
			continue
		}
		c := b.add(len(key))
		if name, ok := strings.CutPrefix(key, nodeKey); ok {
			c.RemovedNodeNames = append(c.RemovedNodeNames, name)
		} else if strings.HasPrefix(key, objectPrefix) {
			c.RemovedObjects = append(c.RemovedObjects, keyOf(key))
		} else {
			c.RemovedPodUids = append(c.RemovedPodUids, strings.TrimPrefix(key, podKey))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(dirty)) {
		switch object := dirty[key].(type) {
		case *v1.Node:
			if out := Node(object); p.changed(key, out) {
				c := b.add(proto.Size(out))
				c.Nodes = append(c.Nodes, out)
			}
		case *unstructured.Unstructured:
			if out := Object(key, object, b.limit-frameRoom); p.changed(key, out) {
				c := b.add(proto.Size(out))
				c.Objects = append(c.Objects, out)
			}
		case *v1.Pod:
			if out := Pod(object, p.Wanted, p.Late); p.changed(key, out) {
				c := b.add(proto.Size(out))
				c.Pods = append(c.Pods, out)
			}
		}
	}
	return append(b.frames, facts...)
}

func (p *Packer) forget(key string) bool {
	_, known := p.sent[key]
	delete(p.sent, key)
	return known
}

func (p *Packer) changed(key string, message proto.Message) bool {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
	if err != nil { // a string that is not UTF-8, which the API server does not let pass
		return false
	}
	hash := maphash.Bytes(p.seed, data)
	last, known := p.sent[key]
	p.sent[key] = hash
	return !known || last != hash
}

// batch splits changes into frames.
type batch struct {
	limit, size int
	last        *pb.Changes
	frames      []*pb.SyncRequest
}

// add makes room for an element of size bytes and returns the frame that takes it.
func (b *batch) add(size int) *pb.Changes {
	size += 16 // tag and lengths
	if b.last == nil || b.size+size > b.limit {
		b.last, b.size = &pb.Changes{}, 0
		b.frames = append(b.frames, &pb.SyncRequest{Message: &pb.SyncRequest_Changes{Changes: b.last}})
	}
	b.size += size
	return b.last
}
