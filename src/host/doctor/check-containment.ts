import { existsSync } from "node:fs";
import { rmdir } from "node:fs/promises";
import type { Containment } from "../../shell/containment/containment.js";
import {
    describeOpened,
    openContainment,
    type OpenedContainment,
} from "../../shell/containment/open-containment.js";
import { containmentIn, type Config } from "../../storage/config.js";
import type { NorthDirectories } from "../../storage/files/directories.js";
import { findRoot } from "../../workspace/find-root.js";
import { containmentOptions, layerFolders } from "../project/containment-options.js";
import { brokenBy, type DoctorCheck, ok, warning } from "./checks.js";

const KINDS: Readonly<Record<Containment["kind"], string>> = {
    namespaces: "Linux namespaces",
    "sandbox-exec": "read-only, by sandbox-exec",
    landlock: "read-only, by Landlock",
};

interface ContainmentQuestion {
    readonly folder: string;
    readonly settings: Config;
    readonly directories: NorthDirectories;
    readonly environment: NodeJS.ProcessEnv;
}

/** Checks whether commands can run contained, by running one. */
export async function checkContainment(question: ContainmentQuestion): Promise<DoctorCheck> {
    const name = "containment";
    const { mode } = containmentIn(question.settings);
    if (mode === "off") return ok(name, "off, by config.json");
    if (mode === "external") {
        return ok(
            name,
            "external, by config.json: commands run for real, their changes are recorded"
        );
    }
    return withContainment(question, (opened) => {
        if (opened.kind === "unavailable") {
            const next = opened.nextSteps.join(" ") || "North asks before each command.";
            return warning(name, opened.reason, next);
        }
        const { containment, lacks } = opened;
        const found = `${KINDS[containment.kind]}, ${mode}`;
        if (lacks === undefined) return ok(name, found);
        const next = lacks.nextSteps.join(" ") || "North asks about a command that needs to write.";
        return warning(name, `${found}. ${lacks.reason}`, next);
    }).catch((error: unknown) => brokenBy(name, error));
}

/** What a contained command sees in this folder, line by line. */
export function describeContainment(question: ContainmentQuestion): Promise<readonly string[]> {
    return withContainment(question, describeOpened);
}

async function withContainment<Result>(
    { folder, settings, directories, environment }: ContainmentQuestion,
    use: (opened: OpenedContainment) => Result
): Promise<Result> {
    const { root } = await findRoot(folder);
    const hasData = existsSync(directories.data);
    const options = containmentOptions({
        root,
        directories,
        environment,
        settings: containmentIn(settings),
        isIgnored: () => Promise.resolve(false),
    });
    const opened = await openContainment(hasData ? options : { ...options, layerFolders: [] });
    if (opened.kind === "unavailable") return use(opened);
    try {
        return use(opened);
    } finally {
        await opened.containment.dispose();
        // Leave no trace.
        for (const path of layerFolders(directories)) await rmdir(path).catch(() => {});
    }
}
