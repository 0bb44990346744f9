import { type Fields, ownValue } from "../../base/fields.js";

export type ImportedSetting =
    /** A command that may run without asking in this project. */
    | { readonly kind: "permission"; readonly command: string }
    | { readonly kind: "server"; readonly name: string; readonly definition: Fields }
    | { readonly kind: "hook"; readonly event: string; readonly group: Fields }
    | { readonly kind: "model"; readonly name: string }
    /** A file of a plugin; `to` is relative to North's config folder. */
    | { readonly kind: "file"; readonly to: string; readonly content: string }
    /** A file of the user's own instructions, as `~/.claude/CLAUDE.md`. */
    | { readonly kind: "instructions"; readonly file: string };

/** A setting of another assistant, and what North does with it. */
export interface ForeignSetting {
    /** Its name in its file: `permissions.allow: Bash(npm test)`. */
    readonly what: string;
    /** The file, relative to the project or starting with `~/`. */
    readonly from: string;
    /** Whether the file belongs to the project; else it is the user's own, for all projects. */
    readonly isProject: boolean;
    readonly taken?: ImportedSetting;
    /** Why North leaves it, or what it does not take of it; one clause. */
    readonly reason?: string;
}

/** A configuration file of another assistant while it is read. */
export class ForeignFile {
    constructor(
        /** As people write it. */
        readonly path: string,
        readonly isProject: boolean,
        /** The project's root. */
        readonly root: string,
        readonly settings: ForeignSetting[] = []
    ) {}

    take(what: string, taken: ImportedSetting, reason?: string): void {
        this.add({ what, taken, reason });
    }

    leave(what: string, reason: string): void {
        this.add({ what, reason });
    }

    takeModel(name: unknown, what = "model"): void {
        if (typeof name === "string") this.take(`${what}: ${name}`, { kind: "model", name });
    }

    /** Leaves the fields that nothing was said about, for these reasons. */
    leaveRest(
        value: Fields,
        known: readonly string[],
        reasons: Readonly<Record<string, string>> = {}
    ): void {
        for (const name of Object.keys(value)) {
            if (name === "$schema" || known.includes(name)) continue;
            this.leave(name, ownValue(reasons, name) ?? NO_SUCH_SETTING);
        }
    }

    private add(setting: Pick<ForeignSetting, "what" | "taken" | "reason">): void {
        this.settings.push({ ...setting, from: this.path, isProject: this.isProject });
    }
}

/** Another assistant, and where it keeps what. Paths start with `~/` or are the project's. */
export interface ForeignAssistant {
    readonly id: string;
    readonly title: string;
    readonly files: readonly {
        readonly path: string;
        readonly read: (file: ForeignFile, value: Fields) => Promise<void>;
    }[];
    /** The user's own instructions for all projects. */
    readonly instructions?: string;
    /** Instructions of a project, which count unless it has an `AGENTS.md`. */
    readonly projectInstructions?: readonly string[];
    /** What is only named. */
    readonly others?: readonly { readonly path: string; readonly reason: string }[];
}

export const NO_SUCH_SETTING = "North has no such setting";
export const NOT_WHOLE = "it allows more than one command, and North allows only exact commands";
export const EVERY_PROJECT = "it applies to all projects, and North allows a command in one";
export const NO_DENIALS =
    "North reads denials only from the machine's policy, `/etc/north/policy.json`; a PreToolUse hook can refuse, too";
export const VI_KEYS = '`"editingMode": "vi"` in config.json gives you vi keys';
export const OTHER_AGENTS =
    "North reads agents of Claude Code's format, in `.north/agents` or `.claude/agents`";
export const OTHER_PROTOCOL =
    "its hooks use another protocol; North runs hooks of Claude Code's format";

export function textsIn(value: unknown): readonly string[] {
    return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
