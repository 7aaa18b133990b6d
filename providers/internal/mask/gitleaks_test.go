package mask

import (
	"bytes"
	"compress/gzip"
	encoding "encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"ctxfs/fs/fstest"
)

const module, version = "github.com/zricethezav/gitleaks/v8", "v8.30.1"

// ours are the rules that the package implements by hand: by what precedes a
// secret, over several lines, or with regard to what terminals show.
var ours = []string{
	"generic-api-key", "curl-auth-header", "curl-auth-user", "kubernetes-secret-yaml", "private-key", "jwt", "pkcs12-file",
	"hashicorp-tf-password", "freemius-secret-key", "nuget-config-password", "aws-access-token", "github-app-token", "github-oauth",
	"github-pat", "github-refresh-token", "gcp-api-key", "npm-access-token", "stripe-access-token",
	"anthropic-api-key", "anthropic-admin-api-key", "openai-api-key", "huggingface-access-token", "gitlab-pat", "gitlab-pat-routable",
}

// gitleaksRule is one of gitleaks' configuration.
type gitleaksRule struct {
	ID       string   `toml:"id"`
	Regex    string   `toml:"regex"`
	Entropy  float64  `toml:"entropy"`
	Keywords []string `toml:"keywords"`
}

// TestDerive derives shapes.tsv and vectors.txt from the rules of gitleaks, as the module
// of that name has them. It needs the Go module proxy and takes some minutes:
//
//	go test ./providers/internal/mask -run Derive -args -derive
func TestDerive(t *testing.T) {
	if !*derive {
		t.Skip("no -derive")
	}
	fstest.Must(t, deriveShapes())
}

var derive = flag.Bool("derive", false, "write the files that are made of gitleaks")

func deriveShapes() error {
	out, err := exec.Command("go", "mod", "download", "-json", module+"@"+version).Output()
	if err != nil {
		return err
	}
	var m struct{ Dir string }
	if err := json.Unmarshal(out, &m); err != nil {
		return err
	}
	vectors, err := vectorsOf(m.Dir)
	if err != nil {
		return err
	}
	if err := writeVectors("testdata/vectors.txt", vectors); err != nil {
		return err
	}
	var config struct{ Rules []gitleaksRule }
	text, err := os.ReadFile(filepath.Join(m.Dir, "config/gitleaks.toml"))
	if err != nil {
		return err
	}
	if err := toml.Unmarshal(text, &config); err != nil {
		return err
	}
	licence, err := os.ReadFile(filepath.Join(m.Dir, "LICENSE"))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Derived from %s %s by TestDerive; do not edit.\n#\n", module, version)
	for line := range strings.Lines(string(licence)) {
		fmt.Fprintf(&b, "# %s", line)
	}
	fmt.Fprint(&b, "#\n# rule, form, entropy, literals, expression of the name, expression of the secret\n")
	for _, r := range config.Rules {
		if !slices.Contains(ours, r.ID) {
			for _, s := range shapesOf(r, vectors) {
				fmt.Fprintln(&b, strings.Join(s, "\t"))
			}
		}
	}
	return os.WriteFile("shapes.tsv", b.Bytes(), 0o644)
}

// vectorsOf makes gitleaks generate its own tests: they are random, and stored
// nowhere.
func vectorsOf(dir string) (all []vector, err error) {
	tmp, err := os.MkdirTemp("", "gitleaks-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	src := filepath.Join(tmp, "src")
	if err := os.CopyFS(src, os.DirFS(dir)); err != nil {
		return nil, err
	}
	validate, err := os.ReadFile("testdata/validate.go.txt")
	if err != nil {
		return nil, err
	}
	name := filepath.Join(src, "cmd/generate/config/utils/validate.go")
	if err := os.Remove(name); err != nil {
		return nil, err
	}
	if err := os.WriteFile(name, validate, 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command("go", "run", ".", filepath.Join(tmp, "gitleaks.toml"))
	cmd.Dir = filepath.Join(src, "cmd/generate/config")
	cmd.Env = append(os.Environ(), "VECTORS="+filepath.Join(tmp, "vectors"))
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(tmp, "vectors"))
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		var v vector
		if err := json.Unmarshal(line, &v); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// writeVectors writes them compressed and as base64, so that no scanner mistakes
// the file for a leak.
func writeVectors(path string, all []vector) error {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	for _, v := range all {
		if err := json.NewEncoder(z).Encode(v); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	var out strings.Builder
	text := encoding.StdEncoding.EncodeToString(b.Bytes())
	for line := range slices.Chunk([]byte(text), 120) {
		out.Write(line)
		out.WriteByte('\n')
	}
	return os.WriteFile(path, []byte(out.String()), 0o644)
}

// What gitleaks puts around a secret: an operator and quotes before it, and its
// end.
const (
	operator = `(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`
	gap      = `(?:[ \t\w.-]{0,20})[\s'"]{0,3}`
	after    = `(?:[\x60'"\s;]|\\[nr]|$)`
)

// shapesOf are the lines of a rule.
func shapesOf(r gitleaksRule, vectors []vector) (lines [][]string) {
	entropy := fmt.Sprint(r.Entropy)
	before, secret, named := strings.Cut(r.Regex, operator)
	if !named {
		form, keys := formOf(r, vectors)
		return [][]string{{r.ID, form, entropy, keys, "", strings.TrimSuffix(r.Regex, after)}}
	}
	secret, more, _ := strings.Cut(secret, after)
	if strings.HasPrefix(r.Regex, "(?i)") {
		secret = "(?i)" + secret
	}
	name, _, _ := strings.Cut(before, gap)
	name = "(?i:" + name[strings.LastIndex(name, `[\w.-]{0,50}?`)+len(`[\w.-]{0,50}?`):] + ")"
	inName := regexp.MustCompile(name)
	var keys []string
	for _, k := range r.Keywords {
		if strings.Contains(strings.ToLower(name), strings.ToLower(k)) || inName.MatchString(k) {
			keys = append(keys, strings.ToLower(k))
		}
	}
	if len(keys) == 0 { // its keyword begins the secret, and says enough
		return [][]string{{r.ID, "prefix", entropy, literals(r.Keywords), "", secret}}
	}
	lines = append(lines, []string{r.ID, "named", entropy, strings.Join(keys, ","), name, secret})
	if more, ok := strings.CutPrefix(more, "|"); ok {
		rest := slices.DeleteFunc(slices.Clone(r.Keywords), func(k string) bool { return slices.Contains(keys, strings.ToLower(k)) })
		lines = append(lines, []string{r.ID, "prefix", entropy, literals(rest), "", strings.TrimSuffix(more, after)})
	}
	return lines
}

var lowercase = regexp.MustCompile(`^[a-z]{5,}$`)

// formOf reports how a secret is found from its literals: they begin it, or are
// anywhere on its line.
func formOf(r gitleaksRule, vectors []vector) (form, keys string) {
	used := map[string]bool{}
	form = "prefix"
	seen := false
	for _, v := range vectors {
		if v.Rule != r.ID {
			continue
		}
		for _, s := range v.Secrets {
			seen = true
			i := slices.IndexFunc(r.Keywords, func(k string) bool { return strings.HasPrefix(strings.ToLower(s), strings.ToLower(k)) })
			if i < 0 {
				return "line", literals(r.Keywords)
			}
			used[r.Keywords[i]] = true
		}
	}
	if !seen {
		literal, _ := regexp.MustCompile(strings.TrimPrefix(r.Regex, `\b`)).LiteralPrefix()
		if literal == "" {
			form = "line"
		}
		return form, literals(r.Keywords)
	}
	context := slices.DeleteFunc(slices.Clone(r.Keywords), func(k string) bool {
		return !used[k] && lowercase.MatchString(k) // the service's name
	})
	return form, literals(context)
}

// literals are keywords of three bytes and more; shorter ones are followed by
// what their expressions have after them.
func literals(keywords []string) string {
	var all []string
	for _, k := range keywords {
		switch k = strings.ToLower(k); k {
		case "sk": // and a hexadecimal digit
			for _, c := range "0123456789abcdef" {
				all = append(all, k+string(c))
			}
		case "q~": // after a digit
			for _, c := range "0123456789" {
				all = append(all, string(c)+k)
			}
		case "s.": // Vault's older form is any word after a dot
		default:
			all = append(all, k)
		}
	}
	return strings.Join(all, ",")
}
