import path from "node:path";
import type { ChangeHistory, ChangeMark } from "../../core/approval/changes.js";
import type { Grants, GrantSnapshot } from "../../core/approval/grants.js";
import type { AllowedCommand, AutomaticApprovals, UnconfirmedGrant } from "../../plugin/index.js";
import { NorthError } from "../../base/north-error.js";
import { Once } from "../../base/once.js";
import { projectFolder } from "../files/directories.js";
import { type Lease, withLock } from "../files/file-lock.js";
import { GrantFiles } from "./grant-files.js";
import { createChangeHistory } from "./change-history.js";
import {
    AUTOMATIC,
    automaticGrant,
    checkId,
    commandGrant,
    fileOf,
    fileOfId,
    type Grant,
    GRANT_FILES,
    type GrantFile,
    grantsIn,
    keyGrant,
    memoryGrant,
    normalizeFolder,
    onOneLine,
    toSnapshot,
} from "./grant-values.js";
import { writeNorthFile } from "./north-folder.js";
import {
    hookGrant,
    needsTrust,
    placesNamed,
    type TrustedHook,
    trustedHooks,
} from "./hook-grants.js";
import type { HookSetting } from "../hook-settings.js";
import type { JsonRecord } from "../files/json-file.js";
import type { Report } from "../files/storage-error.js";
import { belongingOf, claimProjectFolder, type ProjectFolder } from "./project-folder.js";
import type { GrantId } from "./grant-id.js";
import { NO_TRUST, readTrust, type Trust, withMark, writeTrust } from "./trust.js";

export interface GrantsOptions {
    readonly root: string;
    readonly dataFolder: string;
    readonly report?: Report;
    ruleCommands?(): Promise<readonly { readonly path: string; readonly command: string }[]>;
    /** Of the user's settings. */
    readonly hooks?: readonly HookSetting[];
}

/** The new content and grants; return `undefined` instead to change nothing. */
interface FileEdit {
    readonly content: JsonRecord;
    readonly effective: readonly Grant[];
    readonly since?: Trust["since"];
}

/**
 * Grants live in `.north/`, where the user may read, commit and edit them, and in `trust.json`
 * outside the repository, which lists each grant given on this machine. A grant is in effect only
 * if it is in both. So deleting a line revokes it; a line that came with a clone or was typed by
 * hand counts once it is confirmed; and neither affects the other grants. If `trust.json` held a
 * hash of the whole file instead, one foreign line would either void all others or be trusted after
 * North's next write.
 *
 * Trust is valid in one clone only: see `clone-identity.ts`.
 *
 * When North writes a file, it drops trust in grants no longer in it, so that a revoked grant does
 * not come back with a later pull.
 */
export function createGrants({
    root,
    dataFolder,
    report = () => {},
    ruleCommands = async () => [],
    hooks = [],
}: GrantsOptions): Grants & ProjectNotes {
    return new ProjectGrants({ root, dataFolder }, report, ruleCommands, hooks);
}

const PERMISSIONS = ["allowlist.json", "autoaccept.json", "permissions.json"] as const;

/** A project's hooks, checks and notes, which need trust just like permissions. */
export type ProjectNotes = Pick<
    ProjectGrants,
    "hooks" | "hookFiles" | "allowsCheck" | "notes" | "addNote" | "removeNote"
>;

class ProjectGrants implements Grants {
    readonly changes: ChangeHistory;
    private readonly files: GrantFiles;
    private readonly root: string;
    private readonly folder: string;
    private readonly trustFile: string;
    private readonly reported = new Once();

    constructor(
        private readonly project: ProjectFolder,
        private readonly report: Report,
        private readonly ruleCommands: NonNullable<GrantsOptions["ruleCommands"]>,
        private readonly hooksOfUser: readonly HookSetting[]
    ) {
        this.changes = createChangeHistory(project, report);
        this.root = project.root;
        this.files = new GrantFiles(project.root, report, (warning) => this.reportOnce(warning));
        this.folder = projectFolder(project.dataFolder, project.root);
        this.trustFile = path.join(this.folder, "trust.json");
    }

    async snapshot(): Promise<GrantSnapshot> {
        return toSnapshot(await this.effective(PERMISSIONS));
    }

    /** The hooks of the user and of the repository that run, or are suspended. */
    async hooks(): Promise<readonly TrustedHook[]> {
        const written = await this.files.written("hooks.json");
        const brought = written.filter((grant) => grant.kind === "hook");
        return trustedHooks(brought, this.ownHooks(), await this.trust());
    }

    /** Paths that these hooks name, relative to the root, even of files that do not exist yet. */
    async hookFiles(): Promise<ReadonlySet<string>> {
        const hooks = await this.hooks();
        return new Set(hooks.flatMap((hook) => placesNamed(hook, this.root)));
    }

    private ownHooks() {
        return this.hooksOfUser.map((hook) => hookGrant(hook, this.root, "user"));
    }

    /** Whether a rule's command may run contained to check changes. */
    async allowsCheck(command: string): Promise<boolean> {
        return (await this.trust()).granted.has(checkId(command));
    }

    async notes(): Promise<readonly string[]> {
        const grants = await this.effective(["memory.json"]);
        return grants.flatMap((grant) => (grant.kind === "memory" ? grant.text : []));
    }

    addNote(text: string): Promise<void> {
        return this.allow(memoryGrant(text));
    }

    /** Resolves with whether the note existed. */
    async removeNote(text: string): Promise<boolean> {
        return (await this.revoke(memoryGrant(text))) > 0;
    }

    async allowCommand(command: AllowedCommand, since?: ChangeMark): Promise<void> {
        const mark = since ?? (await this.changes.mark());
        await this.allow(commandGrant(inRepository(command)), mark);
    }

    async allowedSince(command: AllowedCommand): Promise<ChangeMark | undefined> {
        return (await this.trust()).since.get(commandGrant(inRepository(command)).id);
    }

    async renewCommand(command: AllowedCommand, mark: ChangeMark): Promise<void> {
        const { id } = commandGrant(inRepository(command));
        await this.changeTrust((trust) =>
            trust.granted.has(id)
                ? { ...trust, since: new Map([...trust.since, [id, mark]]) }
                : undefined
        );
    }

    async removeCommand(command: AllowedCommand): Promise<boolean> {
        return (await this.revoke(commandGrant(inRepository(command)))) > 0;
    }

    clearCommands(): Promise<number> {
        return this.revokeAll("allowlist.json", () => true);
    }

    async setAutomatic(settings: Partial<AutomaticApprovals>): Promise<void> {
        for (const name of AUTOMATIC) {
            if (settings[name] === true) await this.allow(automaticGrant(name));
            if (settings[name] === false) await this.revoke(automaticGrant(name));
        }
    }

    allowKey(key: string): Promise<void> {
        return this.allow(keyGrant(key));
    }

    async removeKey(key: string): Promise<boolean> {
        return (await this.revoke(keyGrant(key))) > 0;
    }

    async unconfirmed(): Promise<readonly UnconfirmedGrant[]> {
        const { granted, declined } = await this.trust();
        const result = new Map<GrantId, UnconfirmedGrant>();
        const add = (id: GrantId, path: string, description: string) => {
            if (granted.has(id)) return;
            const text = onOneLine(description);
            result.set(id, { id, path, text, isDeclined: declined.has(id) });
        };
        for (const name of GRANT_FILES) {
            for (const grant of await this.files.written(name)) {
                add(grant.id, `.north/${name}`, grant.description);
            }
        }
        for (const grant of this.ownHooks().filter(needsTrust)) {
            add(grant.id, "config.json", grant.description);
        }
        for (const { path, command } of await this.ruleCommands()) {
            add(checkId(command), path, `check edits with \`${command}\`, contained`);
        }
        return [...result.values()];
    }

    async confirm({ id }: UnconfirmedGrant): Promise<void> {
        await this.changeTrust(async ({ granted, declined, since }) => {
            if (!(await this.unconfirmed()).some((grant) => grant.id === id)) return undefined;
            return {
                granted: new Set([...granted, id]),
                declined: new Set([...declined].filter((other) => other !== id)),
                since: withMark(since, id, await this.changes.mark()),
            };
        });
    }

    async decline({ id }: UnconfirmedGrant): Promise<void> {
        await this.changeTrust((trust) => ({
            ...trust,
            declined: new Set([...trust.declined, id]),
        }));
    }

    private async allow(grant: Grant, mark?: ChangeMark): Promise<void> {
        await this.change(fileOf(grant), ({ content, written, effective, since }) => {
            const isEffective = effective.some(({ id }) => id === grant.id);
            if (isEffective && since.get(grant.id) === mark) return undefined;
            const isWritten = written.some(({ id }) => id === grant.id);
            return {
                content: isWritten ? content : grant.addTo(content),
                effective: [...effective, grant],
                since: withMark(since, grant.id, mark),
            };
        });
    }

    private revoke(grant: Grant): Promise<number> {
        return this.revokeAll(fileOf(grant), ({ id }) => id === grant.id);
    }

    /** Removes matching grants from a file, confirmed or not, and resolves with their number. */
    private async revokeAll(
        name: GrantFile,
        isRevoked: (grant: Grant) => boolean
    ): Promise<number> {
        let count = 0;
        await this.change(name, ({ content, written, effective }) => {
            const revoked = written.filter(isRevoked);
            count = new Set(revoked.map(({ id }) => id)).size;
            if (count === 0) return undefined;
            return {
                content: revoked.reduce((left, grant) => grant.removeFrom(left), content),
                effective: effective.filter((grant) => !isRevoked(grant)),
            };
        });
        return count;
    }

    private async change(
        name: GrantFile,
        edit: (state: {
            readonly content: JsonRecord;
            /** Every grant in the file, trusted or not. */
            readonly written: readonly Grant[];
            /** The grants that are in effect. */
            readonly effective: readonly Grant[];
            readonly since: Trust["since"];
        }) => FileEdit | undefined
    ): Promise<void> {
        await this.underLock(async (lease) => {
            const content = await this.files.contentToChange(name);
            const { granted, declined, since } = await this.trust();
            const written = grantsIn(name, content, this.root);
            const effective = written.filter(({ id }) => granted.has(id));
            const edited = edit({ content, written, effective, since });
            if (!edited) return;
            const elsewhere = [...granted].filter((id) => fileOfId(id) !== name);
            const kept = new Set([...elsewhere, ...edited.effective.map(({ id }) => id)]);
            // Trust first: if we crash in between, the new grant is not in the file and does not
            // count. The other way round, the user would have to confirm it.
            await this.saveTrust({ granted: kept, declined, since: edited.since ?? since }, lease);
            if (edited.content === content) return;
            const { assertHeld } = lease;
            await writeNorthFile(this.root, name, { content: edited.content, assertHeld });
        });
    }

    /** Edits trust only, not the files. */
    private async changeTrust(
        edit: (trust: Trust) => Trust | undefined | Promise<Trust | undefined>
    ): Promise<void> {
        await this.underLock(async (lease) => {
            const edited = await edit(await this.trust());
            if (edited) await this.saveTrust(edited, lease);
        });
    }

    private async trust(): Promise<Trust> {
        const isOwn = (await belongingOf(this.project)) === "this-clone";
        const report = (warning: string) => this.reportOnce(warning);
        return isOwn ? readTrust(this.trustFile, report) : NO_TRUST;
    }

    /** Grants that are both in the files and trusted in this clone. */
    private async effective(names: readonly GrantFile[]): Promise<readonly Grant[]> {
        const { granted } = await this.trust();
        const effective: Grant[] = [];
        for (const name of names) {
            const written = await this.files.written(name);
            effective.push(...written.filter(({ id }) => granted.has(id)));
        }
        return effective;
    }

    private async underLock(work: (lease: Lease) => Promise<void>): Promise<void> {
        await claimProjectFolder(this.project, this.report);
        return withLock(path.join(this.folder, "grants"), work);
    }

    private saveTrust(trust: Trust, { assertHeld }: Lease): Promise<void> {
        const { root, report } = this;
        return writeTrust(this.trustFile, trust, { root, report, assertHeld });
    }

    private reportOnce(warning: string): void {
        // Snapshots are taken for every tool call.
        if (this.reported.first(warning)) this.report(warning);
    }
}

function inRepository({ command, cwd }: AllowedCommand): AllowedCommand {
    const folder = normalizeFolder(cwd);
    if (folder !== undefined) return { command, cwd: folder };
    throw new NorthError("outside-repository", `${cwd} is not a folder of the repository.`);
}
