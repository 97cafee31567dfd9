// Command phalanx-lab is a Kubernetes control plane with fake GPU nodes for one
// machine, and the launcher that runs it.
package main

import (
	"os"

	"phalanx.dev/lab/internal/components"
)

func main() {
	if len(os.Args) > 1 {
		if status, known := components.Run(os.Args[1], os.Args[2:]); known {
			os.Exit(status)
		}
	}
	os.Exit(run(os.Args[1:]))
}
