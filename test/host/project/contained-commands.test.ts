import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { ContainedCommands } from "../../../src/host/project/contained-commands.js";
import { openShell } from "../../../src/shell/open-shell.js";
import { openWorkspace } from "../../../src/workspace/open-workspace.js";
import { temporaryFolder } from "../../storage/temporary-folder.js";

describe("Contained commands of a project", () => {
    const folder = temporaryFolder();

    it("In the home folder nothing counts as contained, and what the machine can do stays known", async () => {
        const root = folder();
        const environment = { HOME: root };
        const introduced = path.join(root, "containment-introduced");
        writeFileSync(introduced, "");
        const shell = openShell({ root, withheldVariables: [], environment });
        const commands = new ContainedCommands({
            ...{ root, environment, shell, workspace: openWorkspace({ root }) },
            directories: { config: root, data: root, state: root },
            settings: { mode: "auto", show: [], hide: [], limits: {} },
        });
        expect(commands.tier).to.equal(undefined);
        expect(await commands.unavailable()).to.contain("contains the home folder");
        expect(existsSync(introduced)).to.equal(true);
        await Promise.all([shell.dispose(), commands.dispose()]);
    });
});
