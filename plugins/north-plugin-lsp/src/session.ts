import path from "node:path";
import { NorthError } from "north-cli/plugin";
import type { Diagnostic, ProtocolRequestType } from "vscode-languageserver-protocol/node";
import type { Connection } from "./connection.js";
import { MAX_FILE_BYTES } from "./limits.js";
import { withRange } from "./valid.js";
import { languageOf, type ServerKind } from "./servers.js";
import type { Caller, Overrides } from "./server.js";

interface SessionOptions {
    readonly kind: ServerKind;
    readonly root: string;
    readonly caller: Caller;
    /** Shows the server the project as it is now, with other contents on top. */
    show(overrides: Overrides): Promise<Connection>;
    /** What has changed since. */
    changed(): Promise<readonly string[]>;
}

/** An error that a server finds in a file. */
export interface Problem {
    /** 1-based. */
    readonly line: number;
    /** As people look it up: `TS2345`, `reportCallIssue`. */
    readonly code: string;
    readonly message: string;
}

let versions = 0;

/** One use of a server: what it sees is one state of the project, until `show` shows another. */
export class Session {
    private overrides: Overrides = new Map();
    private connection: Connection | undefined;
    private readonly open = new Map<string, number>();

    constructor(private readonly options: SessionOptions) {}

    async during<Value>(work: (session: Session) => Promise<Value>): Promise<Value> {
        try {
            return await work(this);
        } finally {
            await this.closeAll().catch(() => {});
        }
    }

    /** Shows the project as it is now, with other contents on top. */
    async show(overrides: Overrides = new Map()): Promise<void> {
        await this.closeAll();
        this.overrides = overrides;
        this.connection = await this.options.show(overrides);
    }

    /** What the server sees of a file, without a byte order mark. */
    async text(file: string): Promise<string> {
        const content = this.overrides.get(file);
        const { workspace } = this.options.caller;
        const bytes =
            content === undefined
                ? (await workspace.read(file, { maxBytes: MAX_FILE_BYTES })).bytes
                : content;
        return new TextDecoder().decode(bytes ?? new Uint8Array());
    }

    async request<Params, Result>(
        type: Pick<ProtocolRequestType<Params, Result, unknown, unknown, unknown>, "method">,
        params: Params
    ): Promise<Result> {
        return this.running.request(type, params, this.options.caller.signal);
    }

    /** A request about a file, which is open meanwhile. */
    async openFile(file: string): Promise<{ readonly uri: string }> {
        await this.openAll([file]);
        return { uri: this.running.uri(file) };
    }

    /** Throws if the server may have answered for another version of one of these files. */
    async requireUnchanged(files: readonly string[]): Promise<void> {
        const changed = await this.options.changed();
        const file = files.find((each) => changed.includes(each));
        if (file === undefined) return;
        const sentence = `${file} changed while ${this.running.name} answered.`;
        throw new NorthError("changed-meanwhile", sentence, ["Try again."]);
    }

    /** The errors in these files, which all exist. */
    async problems(files: readonly string[]): Promise<ReadonlyMap<string, readonly Problem[]>> {
        await this.openAll(files);
        const found = new Map<string, readonly Problem[]>();
        for (const file of files) found.set(file, await this.problemsIn(file));
        return found;
    }

    private async problemsIn(file: string): Promise<readonly Problem[]> {
        const { kind, root, caller } = this.options;
        if (kind.asksTypeScript) return this.typeScriptProblems(path.join(root, file));
        const version = this.open.get(file) ?? 0;
        const found = await this.running.diagnosticsOf(file, version, caller.signal);
        const problems = found.filter((each) => each?.severity === 1).map(problemOf);
        const fatal = problems.filter(({ code }) => code === kind.fatal);
        return fatal.length > 0 ? fatal : problems;
    }

    private async typeScriptProblems(file: string): Promise<readonly Problem[]> {
        const found = await this.askTypeScript("semanticDiagnosticsSync", { file });
        if (!Array.isArray(found)) throw noAnswer(this.running.name);
        const errors = (found as readonly TypeScriptDiagnostic[]).filter(
            ({ category }) => category === "error"
        );
        if (errors.length === 0 || (await this.isExcluded(file))) return [];
        return errors.map(({ start, code, text }) => ({
            line: start.line,
            code: `TS${code}`,
            message: firstLine(text),
        }));
    }

    /** Whether the project's settings leave a file out: its compiler does not check it either. */
    private async isExcluded(file: string): Promise<boolean> {
        const request = { file, needFileNameList: false, needDefaultConfiguredProjectInfo: true };
        const answer = await this.askTypeScript("projectInfo", request);
        const { configuredProjectInfo: found } = (answer ?? {}) as TypeScriptProject;
        // Without any settings, nothing is said of projects: it guesses, as in editors.
        return found !== undefined && found.defaultProject === undefined;
    }

    /** See tsserver's protocol. */
    private async askTypeScript(command: string, input: object): Promise<unknown> {
        const { ExecuteCommandRequest } = this.running.protocol;
        const answer: unknown = await this.request(ExecuteCommandRequest.type, {
            command: "typescript.tsserverRequest",
            arguments: [command, input],
        });
        return (answer as { readonly body?: unknown } | null)?.body;
    }

    private async openAll(files: readonly string[]): Promise<void> {
        for (const file of files) {
            if (this.open.has(file)) continue;
            const version = (versions += 1);
            const language = languageOf(this.options.kind, file) ?? "plaintext";
            const text = await this.text(file);
            this.open.set(file, version);
            await this.running.open(file, language, version, text);
        }
    }

    private async closeAll(): Promise<void> {
        for (const file of this.open.keys()) await this.connection?.close(file);
        this.open.clear();
    }

    private get running(): Connection {
        if (!this.connection) throw new Error("The session has not been shown anything.");
        return this.connection;
    }
}

interface TypeScriptDiagnostic {
    readonly start: { readonly line: number };
    readonly code: number;
    readonly category: string;
    readonly text: string;
}

interface TypeScriptProject {
    readonly configuredProjectInfo?: { readonly defaultProject?: string };
}

function problemOf(diagnostic: Diagnostic): Problem {
    const { range, code, message } = withRange(diagnostic, "range");
    const text = typeof message === "string" ? message : String(message?.value);
    return { line: range.start.line + 1, code: String(code ?? ""), message: firstLine(text) };
}

function firstLine(text: string): string {
    return text.split("\n")[0]?.trim() ?? "";
}

function noAnswer(name: string): NorthError {
    return new NorthError("server-refused", `${name} does not say what it finds.`);
}
