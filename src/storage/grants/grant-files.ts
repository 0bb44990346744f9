import { type JsonRecord, setCorruptAside } from "../files/json-file.js";
import type { Report } from "../files/storage-error.js";
import { readHooks } from "../hook-settings.js";
import { type Grant, type GrantFile, grantsIn, grantsProblem } from "./grant-values.js";
import { northFilePath, type NorthFile, readNorthFile, unsafeError } from "./north-folder.js";

/** Max mistakes of a repository's hooks that are reported. */
const MAX_TOLD = 5;

/** The files in `.north/` that can grant something. */
export class GrantFiles {
    constructor(
        private readonly root: string,
        private readonly report: Report,
        /** For what every reading finds. */
        private readonly reportOnce: Report
    ) {}

    async written(name: GrantFile): Promise<readonly Grant[]> {
        const file = await this.read(name);
        if (file.kind === "value") {
            const problems = name === "hooks.json" ? readHooks(file.value.hooks).problems : [];
            for (const problem of problems.slice(0, MAX_TOLD)) {
                this.reportOnce(`A hook in .north/hooks.json does not run. ${problem}.`);
            }
            return grantsIn(name, file.value, this.root);
        }
        if (file.kind !== "absent") {
            this.reportOnce(`${northFilePath(this.root, name)} allows nothing: ${file.reason}.`);
        }
        return [];
    }

    async contentToChange(name: GrantFile): Promise<JsonRecord> {
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
}
