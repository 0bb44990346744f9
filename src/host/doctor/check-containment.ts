import { existsSync } from "node:fs";
import { rmdir } from "node:fs/promises";

import type { Containment } from "../../shell/containment/containment.js";
import { type Missing, openContainment } from "../../shell/containment/open-containment.js";
import { containmentIn, type Config } from "../../storage/config.js";
import type { NorthDirectories } from "../../storage/files/directories.js";
import { findRoot } from "../../workspace/find-root.js";
import { containmentOptions, layerFolders } from "../project/contained-commands.js";
import { type DoctorCheck, ok, warning } from "./checks.js";

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
    return withContainment(
        question,
        async ({ kind }, lacks) =>
            lacks === undefined
                ? ok(name, `${KINDS[kind]}, ${mode}`)
                : warning(
                      name,
                      `${KINDS[kind]}, ${mode}. ${lacks.reason}`,
                      lacks.nextSteps.join(" ")
                  ),
        (reason, nextSteps) =>
            warning(name, reason, nextSteps.join(" ") || "North asks before each command.")
    );
}

/** What a contained command sees in this folder, line by line. */
export function describeContainment(question: ContainmentQuestion): Promise<readonly string[]> {
    return withContainment(
        question,
        async (containment, lacks) => [
            ...containment.describe(),
            ...(lacks === undefined ? [] : [lacks.reason, ...lacks.nextSteps]),
        ],
        (reason, nextSteps) => [reason, ...nextSteps]
    );
}

async function withContainment<Result>(
    { folder, settings, directories, environment }: ContainmentQuestion,
    use: (containment: Containment, lacks: Missing | undefined) => Promise<Result>,
    otherwise: (reason: string, nextSteps: readonly string[]) => Result
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
    if (opened.kind === "unavailable") return otherwise(opened.reason, opened.nextSteps);
    try {
        return await use(opened.containment, opened.lacks);
    } finally {
        await opened.containment.dispose();
        // Leave no trace.
        for (const path of layerFolders(directories)) await rmdir(path).catch(() => {});
    }
}
