import { jsonIn } from "../../base/fields.js";
import path from "node:path";
import { canBeCredential } from "../../base/secrets/credential-values.js";
import { replaceCredentials } from "../../base/secrets/credentials.js";
import { KnownValues, valuesIn, WITHHELD } from "../../base/secrets/known-values.js";
import { readRegularFile } from "../../base/read-regular-file.js";
import { cleanedData } from "../../core/agent/calls/secrets-in-results.js";
import type { Secrets } from "../../core/agent/turn.js";
import type { JournalRecord, ToolResultEntry } from "../../plugin/records.js";
import { isCredential } from "../../shell/containment/clean-environment.js";
import { HiddenFiles } from "../../shell/containment/hidden-files.js";

const MAX_FILES = 200;
const MAX_BYTES = 64 * 1024;
/** Time between two looks at the project's secrets, in ms and in times of what a look takes. */
const [MIN_PAUSE_MS, PAUSE_FACTOR] = [1000, 20];

interface WithheldSecretsOptions {
    readonly root: string;
    readonly environment: NodeJS.ProcessEnv;
    /** Keys of providers, which may grow over time. */
    readonly keys: ReadonlySet<string>;
}

/**
 * What neither the model nor a log may read, by value: keys of providers, credentials in the
 * environment and in the project's secret files, and whatever certainly is a credential.
 */
export class WithheldSecrets implements Secrets {
    private readonly files: HiddenFiles;
    private readonly inEnvironment: readonly string[];
    private inFiles: readonly string[] = [];
    private lookedAt = -Infinity;
    private pauseMs = 0;
    private known: KnownValues | undefined;
    private knownKeys = 0;
    /** Texts that the user let the model read. */
    private readonly released: string[] = [];

    constructor(private readonly options: WithheldSecretsOptions) {
        const { root, environment } = options;
        this.files = new HiddenFiles(root, { dependencies: "skip", home: environment.HOME });
        this.inEnvironment = Object.entries(environment).flatMap(([name, value = ""]) => {
            if (!isCredential(name, value)) return [];
            return [...valuesIn(value), ...(canBeCredential(value) ? [value] : [])];
        });
    }

    /** All values known so far, for a log. */
    *[Symbol.iterator](): Generator<string> {
        yield* this.options.keys;
        yield* this.inEnvironment;
        yield* this.inFiles;
    }

    /** A text without secrets. */
    text(text: string): string {
        const replace = (found: string) => (this.isReleased(found) ? found : WITHHELD);
        return replaceCredentials(this.current().replace(text, replace), replace);
    }

    /** A record to be stored and sent: a command, a file, a result or a check may show a secret. */
    record(record: JournalRecord): JournalRecord {
        if (record.type !== "entry_added") return record;
        const { entry } = record;
        if (entry.kind === "command" && entry.told !== undefined) {
            return { ...record, entry: { ...entry, told: this.text(entry.told) } };
        }
        if (entry.kind === "host_note") {
            return { ...record, entry: { ...entry, text: this.text(entry.text) } };
        }
        return entry.kind === "tool_result" ? { ...record, entry: this.result(entry) } : record;
    }

    /** A stored result without secrets. */
    result(entry: ToolResultEntry): ToolResultEntry {
        const { content, text, summary, display, notes } = entry;
        return {
            ...entry,
            content: this.json(content),
            ...(text !== undefined && { text: this.text(text) }),
            summary: summary && this.text(summary),
            display: display && this.text(display),
            ...(notes && {
                notes: notes.map((part) => ({ ...part, text: this.text(part.text) })),
            }),
        };
    }

    private json(content: string): string {
        const value = jsonIn(content);
        return value === undefined ? this.text(content) : JSON.stringify(cleanedData(value, this));
    }

    /** The user lets the model read this file. */
    release(file: string): void {
        const location = path.resolve(this.options.root, file);
        const read = readRegularFile(location, MAX_BYTES, "follow");
        if (read) this.released.push(read.bytes.toString("utf8"));
        this.known = undefined;
    }

    private isReleased(found: string): boolean {
        const { keys } = this.options;
        return !keys.has(found) && this.released.some((text) => text.includes(found));
    }

    private current(): KnownValues {
        const { keys } = this.options;
        if (performance.now() - this.lookedAt > this.pauseMs) this.look();
        if (!this.known || keys.size !== this.knownKeys) {
            this.known = new KnownValues(this);
            this.knownKeys = keys.size;
        }
        return this.known;
    }

    private look(): void {
        const begin = performance.now();
        const { root } = this.options;
        const paths = [...this.files.list(), ...this.files.gitSettings()].slice(0, MAX_FILES);
        const values = new Set<string>();
        for (const location of paths) {
            const read = readRegularFile(path.join(root, location), MAX_BYTES);
            if (!read) continue;
            for (const value of valuesIn(read.bytes.toString("utf8"))) values.add(value);
        }
        if ([...values].join("\n") !== this.inFiles.join("\n")) {
            this.inFiles = [...values];
            this.known = undefined;
        }
        this.lookedAt = performance.now();
        this.pauseMs = Math.max(MIN_PAUSE_MS, PAUSE_FACTOR * (this.lookedAt - begin));
    }
}
