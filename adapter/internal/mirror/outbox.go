package mirror

import (
	"hash/maphash"
	"sync"

	"google.golang.org/protobuf/proto"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

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

type changes struct {
	nodes     map[string]*v1.Node
	pods      map[types.UID]*v1.Pod
	goneNodes sets.Set[string]
	gonePods  sets.Set[types.UID]
}

func newChanges() changes {
	return changes{map[string]*v1.Node{}, map[types.UID]*v1.Pod{}, sets.New[string](), sets.New[types.UID]()}
}

// NewOutbox makes a closed one.
func NewOutbox() *Outbox { return &Outbox{dirty: newChanges(), kick: make(chan struct{}, 1)} }

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
func (o *Outbox) Node(node *v1.Node) {
	o.put(func() { o.dirty.nodes[node.Name] = node; o.dirty.goneNodes.Delete(node.Name) })
}

// NodeGone notes that the node was deleted.
func (o *Outbox) NodeGone(name string) {
	o.put(func() { delete(o.dirty.nodes, name); o.dirty.goneNodes.Insert(name) })
}

// Pod notes that the pod is new or has changed.
func (o *Outbox) Pod(pod *v1.Pod) {
	o.put(func() { o.dirty.pods[pod.UID] = pod; o.dirty.gonePods.Delete(pod.UID) })
}

// PodGone notes that the pod was deleted.
func (o *Outbox) PodGone(uid types.UID) {
	o.put(func() { delete(o.dirty.pods, uid); o.dirty.gonePods.Insert(uid) })
}

// Fact sends a state that a member has reached.
func (o *Outbox) Fact(fact *pb.MemberFact) {
	o.send(&pb.SyncRequest{Message: &pb.SyncRequest_MemberFact{MemberFact: fact}})
}

// Conflict sends a disagreement with a plan.
func (o *Outbox) Conflict(c *pb.Conflict) {
	metrics.Conflicts.WithLabelValues(c.Plugin, c.Stage.String()).Inc()
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
func (o *Outbox) Open(all func() ([]*v1.Node, []*v1.Pod)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open, o.facts, o.dirty = true, nil, newChanges()
	nodes, pods := all()
	for _, node := range nodes {
		o.dirty.nodes[node.Name] = node
	}
	for _, pod := range pods {
		o.dirty.pods[pod.UID] = pod
	}
}

// Close drops what is left, and everything until the next Open.
func (o *Outbox) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open, o.facts, o.dirty = false, nil, newChanges()
}

func (o *Outbox) take() (changes, []*pb.SyncRequest) {
	o.mu.Lock()
	defer o.mu.Unlock()
	dirty, facts := o.dirty, o.facts
	o.dirty, o.facts = newChanges(), nil
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

// Frames takes everything from the outbox: changes of objects first, then facts.
func (p *Packer) Frames(o *Outbox) []*pb.SyncRequest {
	dirty, facts := o.take()
	b := &batch{limit: p.MaxBytes - frameRoom}
	for name := range dirty.goneNodes {
		if p.forget("n/" + name) {
			c := b.add(len(name))
			c.RemovedNodeNames = append(c.RemovedNodeNames, name)
		}
	}
	for name, node := range dirty.nodes {
		out := Node(node)
		if size, changed := p.changed("n/"+name, out); changed {
			c := b.add(size)
			c.Nodes = append(c.Nodes, out)
		}
	}
	for uid := range dirty.gonePods {
		if p.forget("p/" + string(uid)) {
			c := b.add(len(uid))
			c.RemovedPodUids = append(c.RemovedPodUids, string(uid))
		}
	}
	for uid, pod := range dirty.pods {
		out := Pod(pod, p.Wanted, p.Late)
		if size, changed := p.changed("p/"+string(uid), out); changed {
			c := b.add(size)
			c.Pods = append(c.Pods, out)
		}
	}
	return append(b.frames, facts...)
}

func (p *Packer) forget(key string) bool {
	_, known := p.sent[key]
	delete(p.sent, key)
	return known
}

func (p *Packer) changed(key string, message proto.Message) (size int, changed bool) {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
	if err != nil { // a string that is not UTF-8, which the API server does not let pass
		return 0, false
	}
	hash := maphash.Bytes(p.seed, data)
	if last, known := p.sent[key]; known && last == hash {
		return 0, false
	}
	p.sent[key] = hash
	return len(data), true
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
