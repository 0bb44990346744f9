import path from "node:path";

// Other assistants from npm, each configured to talk only to a server on loopback.

/** The protocol an assistant uses to talk to a model. */
export type Protocol = "messages" | "responses" | "gemini";

export interface Peer {
    readonly name: string;
    /** The npm package with its version; absent for North itself. */
    readonly install?: string;
    readonly binary: string;
    readonly protocol: Protocol;
    /** Arguments that make it answer "hi" without a terminal. */
    readonly args: readonly string[];
    readonly environment: (url: string) => NodeJS.ProcessEnv;
    /** Its settings files, by path below HOME. */
    readonly files?: (url: string) => Readonly<Record<string, string>>;
    /** A call of its tool that reads a file. */
    readonly call: (file: string) => { readonly name: string; readonly input: object };
}

const KEY = "bench";
const PROMPT = "hi";

export const peers: readonly Peer[] = [
    {
        name: "North",
        binary: "bin/run.js",
        protocol: "messages",
        args: ["-p", PROMPT],
        environment: (url) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url }),
        call: (file) => ({ name: "read_file", input: { path: path.basename(file) } }),
    },
    {
        name: "Claude Code",
        install: "@anthropic-ai/claude-code@2.1.330",
        binary: "claude",
        protocol: "messages",
        args: ["-p", PROMPT, "--model", "claude-sonnet-5-5"],
        environment: (url) => ({
            ANTHROPIC_API_KEY: KEY,
            ANTHROPIC_BASE_URL: url,
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        }),
        call: (file) => ({ name: "Read", input: { file_path: file } }),
    },
    {
        name: "Codex CLI",
        install: "@openai/codex@0.169.0",
        binary: "codex",
        protocol: "responses",
        args: ["exec", "--skip-git-repo-check", PROMPT],
        environment: () => ({ OPENAI_API_KEY: KEY }),
        files: (url) => ({
            ".codex/config.toml": [
                'model = "gpt-5.1"',
                'model_provider = "bench"',
                "[model_providers.bench]",
                'name = "bench"',
                `base_url = "${url}/v1"`,
                'wire_api = "responses"',
                'env_key = "OPENAI_API_KEY"',
            ].join("\n"),
        }),
        call: (file) => ({ name: "exec_command", input: { cmd: `cat ${file}` } }),
    },
    {
        name: "Gemini CLI",
        install: "@google/gemini-cli@0.61.0",
        binary: "gemini",
        protocol: "gemini",
        args: ["-m", "gemini-2.5-pro", "-p", PROMPT],
        environment: (url) => ({
            GEMINI_API_KEY: KEY,
            GOOGLE_GEMINI_BASE_URL: url,
            GEMINI_CLI_TRUST_WORKSPACE: "true",
        }),
        files: () => ({
            ".gemini/settings.json": JSON.stringify({
                security: { auth: { selectedType: "gemini-api-key" } },
                privacy: { usageStatisticsEnabled: false },
            }),
        }),
        call: (file) => ({ name: "read_file", input: { file_path: file } }),
    },
    {
        name: "opencode",
        install: "opencode-ai@1.18.33",
        binary: "opencode",
        protocol: "messages",
        args: ["run", "-m", "anthropic/claude-sonnet-4-5", PROMPT],
        environment: () => ({}),
        files: (url) => ({
            ".config/opencode/opencode.json": JSON.stringify({
                provider: { anthropic: { options: { baseURL: `${url}/v1`, apiKey: KEY } } },
            }),
        }),
        call: (file) => ({ name: "read", input: { filePath: file } }),
    },
    {
        name: "pi",
        install: "@mariozechner/pi-coding-agent@0.73.1",
        binary: "pi",
        protocol: "messages",
        args: ["-p", "--model", "anthropic/claude-sonnet-4-5", PROMPT],
        environment: () => ({ ANTHROPIC_API_KEY: KEY }),
        files: (url) => ({
            ".pi/agent/models.json": JSON.stringify({
                providers: { anthropic: { baseUrl: url, apiKey: KEY } },
            }),
        }),
        call: (file) => ({ name: "read", input: { path: file } }),
    },
    {
        name: "crush",
        install: "@charmland/crush@0.96.1",
        binary: "crush",
        protocol: "messages",
        args: ["run", PROMPT],
        environment: (url) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url }),
        call: (file) => ({ name: "view", input: { file_path: file } }),
    },
];
