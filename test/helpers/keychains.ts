import type { Keychain } from "../../src/storage/secrets/keychain.js";

export const noKeychain: Keychain = {
    find: () => Promise.resolve(undefined),
    save: () => Promise.resolve(false),
    remove: () => Promise.resolve(false),
};

export function memoryKeychain(): Keychain & { readonly stored: Map<string, string> } {
    const stored = new Map<string, string>();
    return {
        stored,
        find: (account) => Promise.resolve(stored.get(account)),
        save: (account, secret) => Promise.resolve(stored.set(account, secret).has(account)),
        remove: (account) => Promise.resolve(stored.delete(account)),
    };
}

/** Source of a stand-in for `@napi-rs/keyring` that keeps each secret in a file in `folder`. */
export function keyringModule(folder: string): string {
    return `
        const { existsSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
        exports.Entry = class {
            constructor(service, account) {
                const name = encodeURIComponent(service + "-" + account);
                this.file = ${JSON.stringify(folder)} + "/" + name;
            }
            setPassword(secret) { writeFileSync(this.file, secret); }
            getPassword() { return existsSync(this.file) ? readFileSync(this.file, "utf8") : null; }
            deletePassword() {
                const existed = existsSync(this.file);
                rmSync(this.file, { force: true });
                return existed;
            }
        };`;
}
