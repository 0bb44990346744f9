import path from "node:path";
import { type Config, Errors } from "@oclif/core";
import { isFields } from "../../base/fields.js";
import { nearName } from "../../base/near-name.js";
import { NorthError } from "../../base/north-error.js";
import { readJson } from "../../storage/files/json-file.js";
import { BaseCommand } from "./base-command.js";

const NPM = "@oclif/plugin-plugins";
/** `@scope/name@1.0` without `@1.0`. */
const TAG = /(?<=.)@[^/@]*$/;

/** A command for Agent Plugins that gives everything else to oclif's command for npm. */
export abstract class PluginsCommand extends BaseCommand {
    protected async runNpm(id: string, argv: readonly string[]): Promise<unknown> {
        const npm = await this.config.plugins.get(NPM)?.findCommand(id, { must: true });
        if (!npm) throw new Error(`${NPM} is missing.`);
        return npm.run([...argv], this.config);
    }

    /** The npm command's errors are of another copy of oclif; `start` tells them. */
    protected override async catch(error: Error): Promise<unknown> {
        if ("oclif" in error && !(error instanceof Errors.CLIError)) throw error;
        return super.catch(error);
    }
}

/**
 * Rejects with `not-found` unless all are installed packages or linked folders. `others`: names that
 * may have been meant.
 */
export async function requirePackages(
    names: readonly string[],
    others: readonly string[],
    config: Config
): Promise<void> {
    const known = await installedPackages(config);
    const isKnown = (name: string) =>
        [name.replace(TAG, ""), path.resolve(name)].some((each) => known.includes(each));
    const unknown = names.find((name) => !isKnown(name));
    if (unknown === undefined) return;
    const near = nearName(unknown, [...others, ...known]);
    throw new NorthError(
        "not-found",
        `${unknown} is neither an installed package nor an installed Agent Plugin.`,
        [
            ...(near === undefined ? [] : [`Did you mean ${near}?`]),
            "`north plugins` lists the installed plugins.",
        ]
    );
}

/** Names of packages, also of those that do not load, and the roots of linked folders. */
async function installedPackages({ dataDir, plugins }: Config): Promise<readonly string[]> {
    const read = await readJson(path.join(dataDir, "package.json"));
    const own = read.kind === "value" && isFields(read.value.oclif) ? read.value.oclif.plugins : [];
    const listed = Array.isArray(own) ? own.filter(isFields) : [];
    const fields = listed.flatMap(({ name, root }) => [name, root]);
    return [...plugins.keys(), ...fields.filter((field) => typeof field === "string")];
}
