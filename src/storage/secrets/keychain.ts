import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { withStreams } from "../../base/child-streams.js";
import { isFields } from "../../base/fields.js";

export interface Keychain {
    /** The stored secret; `undefined` also without a keychain that answers. */
    find(account: string): Promise<string | undefined>;
    /** Resolves with whether the secret was stored. */
    save(account: string, secret: string): Promise<boolean>;
    /** Resolves with whether there was a secret. */
    remove(account: string): Promise<boolean>;
}

interface KeychainOptions {
    readonly environment: NodeJS.ProcessEnv;
    /** Max time an unlock dialog may stay unanswered. */
    readonly limitMs?: number;
    /** The module that exports `Entry`; default `@napi-rs/keyring`. */
    readonly module?: string;
}

type KeychainRequest =
    | { readonly action: "find" | "remove"; readonly account: string }
    | { readonly action: "save"; readonly account: string; readonly secret: string };

// Runs in its own process: a hanging keychain cannot be interrupted and would keep North from
// exiting. Secrets go through a pipe because other users can see arguments. On Linux only the
// Secret Service is used: the kernel keyring is lost on reboot.
const SCRIPT = `
    const { Entry } = require(process.argv[1]);
    const { action, account, secret } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
    const entry = new Entry("north-cli", account, { linux: { store: "secret-service" } });
    const actions = {
        find: () => entry.getPassword(),
        remove: () => entry.deletePassword(),
        save: () => (entry.setPassword(secret), entry.getPassword() === secret),
    };
    process.stdout.write(JSON.stringify({ value: actions[action]() }));
`;

/** The system keychain; any failure counts as "no secret". */
export function systemKeychain(options: KeychainOptions): Keychain {
    const ask = async (request: KeychainRequest) =>
        canHaveKeychain(options.environment) ? askProcess(request, options) : undefined;
    return {
        async find(account) {
            const value = await ask({ action: "find", account });
            return typeof value === "string" && value !== "" ? value : undefined;
        },
        save: async (account, secret) => (await ask({ action: "save", account, secret })) === true,
        remove: async (account) => (await ask({ action: "remove", account })) === true,
    };
}

/** Without a session bus the Secret Service is unreachable; saves a process on servers. */
function canHaveKeychain(environment: NodeJS.ProcessEnv): boolean {
    if (process.platform !== "linux") return true;
    const { DBUS_SESSION_BUS_ADDRESS: address, XDG_RUNTIME_DIR: folder } = environment;
    return Boolean(address) || Boolean(folder && existsSync(path.join(folder, "bus")));
}

async function askProcess(request: KeychainRequest, options: KeychainOptions): Promise<unknown> {
    try {
        const parsed: unknown = JSON.parse(await runScript(JSON.stringify(request), options));
        return isFields(parsed) ? parsed.value : undefined;
    } catch {
        return undefined;
    }
}

async function runScript(
    input: string,
    { environment, limitMs = 20_000, module }: KeychainOptions
): Promise<string> {
    const resolved = module ?? createRequire(import.meta.url).resolve("@napi-rs/keyring");
    const { spawn } = await import("node:child_process");
    return new Promise((resolve, reject) => {
        const child = withStreams(
            spawn(process.execPath, ["-e", SCRIPT, resolved], {
                env: { ...environment, NODE_OPTIONS: "" },
                stdio: ["pipe", "pipe", "ignore"],
                timeout: limitMs,
                killSignal: "SIGKILL",
            })
        );
        let output = "";
        child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
        child.on("error", reject);
        child.on("close", () => resolve(output));
        // A child that died early does not read its stdin; its empty output says enough.
        child.stdin.on("error", () => {});
        child.stdin.end(input);
    });
}
