import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs";

/** Where vendors' programs look for their keys, whether or not North has a provider for them. */
const KEY_VARIABLES: readonly string[] = [
    "AI_GATEWAY_API_KEY",
    "AI21_API_KEY",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AZURE_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "CEREBRAS_API_KEY",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CO_API_KEY",
    "COHERE_API_KEY",
    "DASHSCOPE_API_KEY",
    "DEEPINFRA_API_KEY",
    "DEEPSEEK_API_KEY",
    "FIREWORKS_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "GROQ_API_KEY",
    "HF_TOKEN",
    "HUGGING_FACE_HUB_TOKEN",
    "HUGGINGFACE_API_KEY",
    "MINIMAX_API_KEY",
    "MISTRAL_API_KEY",
    "MOONSHOT_API_KEY",
    "NVIDIA_API_KEY",
    "OLLAMA_API_KEY",
    "OPENAI_ADMIN_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "PERPLEXITY_API_KEY",
    "REPLICATE_API_TOKEN",
    "SAMBANOVA_API_KEY",
    "TOGETHER_API_KEY",
    "VOYAGE_API_KEY",
    "XAI_API_KEY",
    "ZAI_API_KEY",
    "ZHIPUAI_API_KEY",
];

const taken = new Map<string, string>();

/** Removes the keys from this process's environment, so that no child inherits them. */
export function takeKeys(variables: readonly string[] = KEY_VARIABLES): void {
    const found = variables.filter((name) => process.env[name] !== undefined);
    for (const name of found) {
        taken.set(name, process.env[name] ?? "");
        delete process.env[name];
    }
    if (found.length > 0 && process.platform === "linux") eraseInitial(found);
}

/** Returns the environment with the removed keys added. */
export function withKeys(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    return { ...environment, ...Object.fromEntries(taken) };
}

export function takenKeys(): Iterable<string> {
    return taken.values();
}

/** `/proc/PID/environ` shows a process's initial variables, on its stack: overwrite them. */
function eraseInitial(variables: readonly string[]): void {
    try {
        const stat = readFileSync("/proc/self/stat", "latin1");
        // Fields 50 and 51, `env_start` and `env_end`; the first field after the name is number 3.
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        const [start = 0, end = 0] = fields.slice(47, 49).map(Number);
        const memory = openSync("/proc/self/mem", "r+");
        try {
            const bytes = Buffer.alloc(end - start);
            readSync(memory, bytes, 0, bytes.length, start);
            const text = `\0${bytes.toString("latin1")}`;
            for (const name of variables) {
                const found = text.indexOf(`\0${name}=`);
                if (found < 0) continue;
                const from = found + name.length + 1;
                const length = bytes.indexOf(0, from) - from;
                writeSync(memory, Buffer.alloc(length), 0, length, start + from);
            }
        } finally {
            closeSync(memory);
        }
    } catch {
        // Kernels can forbid this. docs/security.md says what is not guaranteed.
    }
}
