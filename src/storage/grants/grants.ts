import path from "node:path";
import type { Grants, GrantSnapshot } from "../../core/approval/grants.js";
import type { AllowedCommand, AutomaticApprovals, UnconfirmedGrant } from "../../plugin/index.js";
import { NorthError } from "../../base/north-error.js";
import { Once } from "../../base/once.js";
import { projectFolder } from "../files/directories.js";
import { type Lease, withLock } from "../files/file-lock.js";
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
    type GrantId,
    grantsIn,
    grantsProblem,
    keyGrant,
    memoryGrant,
    normalizeFolder,
    onOneLine,
    toSnapshot,
} from "./grant-values.js";
import {
    northFilePath,
    type NorthFile,
    readNorthFile,
    unsafeError,
    writeNorthFile,
} from "./north-folder.js";
import type { HookSetting } from "../hook-settings.js";
import { type JsonRecord, setCorruptAside } from "../files/json-file.js";
import type { Report } from "../files/storage-error.js";
import { belongingOf, claimProjectFolder, type ProjectPlace } from "./project-folder.js";
import { NO_TRUST, readTrust, type Trust, writeTrust } from "./trust.js";

export interface GrantsOptions {
    readonly root: string;
    readonly dataFolder: string;
    readonly report?: Report;
    ruleCommands?(): Promise<readonly { readonly path: string; readonly command: string }[]>;
}

interface FileState {
    readonly content: JsonRecord;
    /** Every grant in the file, trusted or not. */
    readonly written: readonly Grant[];
    /** The grants that are in effect. */
    readonly effective: readonly Grant[];
}

/** The new content and grants; return `undefined` instead to change nothing. */
interface FileEdit {
    readonly content: JsonRecord;
    readonly effective: readonly Grant[];
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
}: GrantsOptions): Grants & ProjectNotes {
    return new ProjectGrants({ root, dataFolder }, report, ruleCommands);
}

/** A project's hooks, checks and notes, which need trust just like permissions. */
export interface ProjectNotes {
    hooks(): Promise<readonly HookSetting[]>;
    /** Whether a rule's command may run contained to check changes. */
    allowsCheck(command: string): Promise<boolean>;
    notes(): Promise<readonly string[]>;
    addNote(text: string): Promise<void>;
    /** Resolves with whether the note existed. */
    removeNote(text: string): Promise<boolean>;
}

const PERMISSIONS = ["allowlist.json", "autoaccept.json", "permissions.json"] as const;

class ProjectGrants implements Grants, ProjectNotes {
    private readonly root: string;
    private readonly folder: string;
    private readonly trustFile: string;
    private readonly reported = new Once();

    constructor(
        private readonly place: ProjectPlace,
        private readonly report: Report,
        private readonly ruleCommands: NonNullable<GrantsOptions["ruleCommands"]>
    ) {
        this.root = place.root;
        this.folder = projectFolder(place.dataFolder, place.root);
        this.trustFile = path.join(this.folder, "trust.json");
    }

    async snapshot(): Promise<GrantSnapshot> {
        return toSnapshot(await this.effective(PERMISSIONS));
    }

    async hooks(): Promise<readonly HookSetting[]> {
        const grants = await this.effective(["hooks.json"]);
        return grants.flatMap((grant) => (grant.kind === "hook" ? grant.hook : []));
    }

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

    async removeNote(text: string): Promise<boolean> {
        return (await this.revoke(memoryGrant(text))) > 0;
    }

    async allowCommand(command: AllowedCommand): Promise<void> {
        await this.allow(commandGrant(inRepository(command)));
    }

    async suspendCommand(command: AllowedCommand): Promise<void> {
        const suspended = commandGrant(inRepository(command)).id;
        await this.changeTrust(({ granted, declined }) => ({
            granted: new Set([...granted].filter((id) => id !== suspended)),
            declined,
        }));
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

    async unconfirmed(): Promise<readonly UnconfirmedGrant[]> {
        const { granted, declined } = await this.trust();
        const result = new Map<GrantId, UnconfirmedGrant>();
        const add = (id: GrantId, path: string, description: string) => {
            if (granted.has(id)) return;
            const text = onOneLine(description);
            result.set(id, { id, path, text, isDeclined: declined.has(id) });
        };
        for (const name of GRANT_FILES) {
            for (const grant of await this.written(name)) {
                add(grant.id, `.north/${name}`, grant.description);
            }
        }
        for (const { path, command } of await this.ruleCommands()) {
            add(checkId(command), path, `check edits with \`${command}\`, contained`);
        }
        return [...result.values()];
    }

    async confirm({ id }: UnconfirmedGrant): Promise<void> {
        await this.changeTrust(async ({ granted, declined }) => {
            if (!(await this.unconfirmed()).some((grant) => grant.id === id)) return undefined;
            return {
                granted: new Set([...granted, id]),
                declined: new Set([...declined].filter((other) => other !== id)),
            };
        });
    }

    async decline({ id }: UnconfirmedGrant): Promise<void> {
        await this.changeTrust(({ granted, declined }) => ({
            granted,
            declined: new Set([...declined, id]),
        }));
    }

    private async allow(grant: Grant): Promise<void> {
        await this.change(fileOf(grant), ({ content, written, effective }) => {
            if (effective.some(({ id }) => id === grant.id)) return undefined;
            const isWritten = written.some(({ id }) => id === grant.id);
            return {
                content: isWritten ? content : grant.addTo(content),
                effective: [...effective, grant],
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
        edit: (state: FileState) => FileEdit | undefined
    ): Promise<void> {
        await this.underLock(async (lease) => {
            const content = await this.contentToChange(name);
            const { granted, declined } = await this.trust();
            const written = grantsIn(name, content);
            const effective = written.filter(({ id }) => granted.has(id));
            const edited = edit({ content, written, effective });
            if (!edited) return;
            const elsewhere = [...granted].filter((id) => fileOfId(id) !== name);
            const kept = new Set([...elsewhere, ...edited.effective.map(({ id }) => id)]);
            // Trust first: if we crash in between, the new grant is not in the file and does not
            // count. The other way round, the user would have to confirm it.
            await this.saveTrust({ granted: kept, declined }, lease);
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

    /** Grants given and declined in this clone. */
    private async trust(): Promise<Trust> {
        const isOwn = (await belongingOf(this.place)) === "this-clone";
        const report = (warning: string) => this.reportOnce(warning);
        return isOwn ? readTrust(this.trustFile, report) : NO_TRUST;
    }

    /** Grants that are both in the files and trusted in this clone. */
    private async effective(names: readonly GrantFile[]): Promise<readonly Grant[]> {
        const { granted } = await this.trust();
        const effective: Grant[] = [];
        for (const name of names) {
            const written = await this.written(name);
            effective.push(...written.filter(({ id }) => granted.has(id)));
        }
        return effective;
    }

    private async underLock(work: (lease: Lease) => Promise<void>): Promise<void> {
        await claimProjectFolder(this.place, this.report);
        return withLock(path.join(this.folder, "grants"), work);
    }

    private saveTrust(trust: Trust, { assertHeld }: Lease): Promise<void> {
        const { root, report } = this;
        return writeTrust(this.trustFile, trust, { root, report, assertHeld });
    }

    private async written(name: GrantFile): Promise<readonly Grant[]> {
        const file = await this.read(name);
        if (file.kind === "value") return grantsIn(name, file.value);
        if (file.kind !== "absent") {
            this.reportOnce(`${northFilePath(this.root, name)} allows nothing: ${file.reason}.`);
        }
        return [];
    }

    private async contentToChange(name: GrantFile): Promise<JsonRecord> {
        const file = northFilePath(this.root, name);
        const found = await this.read(name);
        if (found.kind === "value") return found.value;
        if (found.kind === "unsafe") throw unsafeError(file, found.reason);
        if (found.kind === "corrupt") await setCorruptAside(file, found.reason, this.report);
        return {};
    }

    private async read(name: GrantFile): Promise<NorthFile> {
        const file = await readNorthFile(this.root, name);
        const reason = file.kind === "value" ? grantsProblem(file.value) : undefined;
        return reason === undefined ? file : { kind: "corrupt", reason };
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
