import type { Surroundings } from "../surroundings.js";
import type { ContainmentMode } from "../../plugin/index.js";
import { openShell } from "../../shell/open-shell.js";
import { containmentIn, readConfig } from "../../storage/config.js";
import { openWorkspace } from "../../workspace/open-workspace.js";
import { ContainedCommands } from "./contained-commands.js";

export interface ContainedPlace extends Omit<Surroundings, "config"> {
    readonly root: string;
    /** Defaults to the mode in `config.json`. */
    readonly mode?: ContainmentMode | undefined;
}

type OpenedPlace = Awaited<ReturnType<typeof openPlace>>;

/** Runs work that runs commands contained, without a conversation. */
export async function withContained<Result>(
    options: ContainedPlace,
    work: (place: OpenedPlace) => Promise<Result>
): Promise<Result> {
    const place = await openPlace(options);
    try {
        return await work(place);
    } finally {
        await place.contained.dispose();
        await place.shell.dispose();
    }
}

async function openPlace({ root, directories, environment, mode }: ContainedPlace) {
    const settings = containmentIn(await readConfig(directories.config));
    const shell = openShell({ root, environment, withheldVariables: [] });
    const workspace = openWorkspace({
        root,
        ownFolders: Object.values(directories),
        useRipgrep: environment.NORTH_DISABLE_RIPGREP !== "1",
    });
    const contained = new ContainedCommands({
        ...{ root, directories, environment, shell, workspace },
        settings: { ...settings, ...(mode && { mode }) },
    });
    return { contained, shell, workspace };
}
