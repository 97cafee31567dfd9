package labfile

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Component asks the launcher to start, stop (SIGTERM), kill (SIGKILL) or
// restart a component, waits until that is done, and returns the lab as it is
// then. A component that was stopped or killed stays so until it is started.
func (l *Lab) Component(ctx context.Context, action, name string) (*Lab, error) {
	address := l.Control + "/components/" + url.PathEscape(name) + "/" + url.PathEscape(action)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+l.Token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%s %s: is the lab in %s still running? %w", action, name, l.Dir, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s %s: %s", action, name, strings.TrimSpace(string(body)))
	}
	now := &Lab{}
	return now, json.Unmarshal(body, now)
}
