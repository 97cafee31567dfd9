package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"phalanx.dev/lab/workload"
	"sigs.k8s.io/yaml"
)

var readmeStories = []story{{"readme-job", "smoke", time.Minute, readmeJob}}

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// readmeJob: the job that the README shows is accepted as it stands, and runs whole
// in one NVLink domain.
func readmeJob(e *env) {
	text, err := os.ReadFile(filepath.Join(shared.root, "README.md"))
	e.must(err)
	block := yamlBlock.FindSubmatch(text)
	if block == nil {
		e.t.Fatal("README.md has no yaml block")
	}
	var job batchv1.Job
	e.must(yaml.UnmarshalStrict(block[1], &job))
	job.Namespace = e.namespaces[0]
	_, err = e.Client().BatchV1().Jobs(job.Namespace).Create(e.ctx, &job, metav1.CreateOptions{})
	e.must(err)
	gang := workload.Gang{Namespace: job.Namespace, Size: int(*job.Spec.Parallelism),
		Name: job.Spec.Template.Labels["phalanx.dev/gang"]}
	nodes := e.nodesByName()
	domains := map[string]bool{}
	for _, pod := range e.bound(gang) {
		domains[nodes[pod.Spec.NodeName].Labels[cliqueLabel]] = true
	}
	if len(domains) != 1 || domains[""] {
		e.t.Errorf("the members are in the NVLink domains %v, expected one", domains)
	}
}
