package modeltest

// Copilot returns the Copilot CLI. It is apart from the others, since tests of what they are
// told do not know where it would say so.
func Copilot() Agent {
	return Agent{
		ID: "copilot", bin: "copilot",
		env: func(url string) []string {
			return []string{"COPILOT_PROVIDER_BASE_URL=" + url + "/v1", "COPILOT_PROVIDER_API_KEY=stub-key", "COPILOT_PROVIDER_TYPE=openai", "COPILOT_MODEL=stub-model", "COPILOT_OFFLINE=true"}
		},
		args: func(prompt string) []string {
			return []string{"--no-auto-update", "--allow-all-tools", "--prompt", prompt}
		},
	}
}
