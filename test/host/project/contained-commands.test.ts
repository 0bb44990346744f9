import { existsSync, mkdirSync, writeFileSync } from "node:fs";
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

    it("A trial that fails without a known cause is explained, and repeated later and by /contain", async function () {
        // A contained command sees the project's bash, but not one beside it.
        const [root, data, bin, home] = ["project", "data", "project/bin", "home"].map((name) => {
            const place = path.join(folder(), name);
            mkdirSync(place);
            return place;
        }) as [string, string, string, string];
        const environment = { HOME: home, PATH: `${bin}:${process.env.PATH}` };
        const shell = openShell({ root, withheldVariables: [], environment });
        const bashDoes = (what: string) => {
            writeFileSync(path.join(bin, "bash"), `#!/bin/sh\n${what}\n`, { mode: 0o755 });
        };
        let now = 0;
        const all: ContainedCommands[] = [];
        const open = () => {
            const commands = new ContainedCommands({
                ...{ root, environment, shell, workspace: openWorkspace({ root }), now: () => now },
                directories: { config: data, data, state: data },
                settings: { mode: "auto", show: [], hide: [], limits: {} },
            });
            all.push(commands);
            return commands;
        };
        bashDoes('exec /bin/bash "$@"');
        const usual = await open().notice();
        if (usual?.includes("Not contained:")) this.skip();
        try {
            for (const again of ["later", "/contain"]) {
                bashDoes(`case "$*" in *north/start*) exit 9 ;; esac\nexec /bin/bash "$@"`);
                const commands = open();
                expect(await commands.notice()).to.match(
                    /\nNot contained: A trial command failed: 9\. .* at once with \/contain\.$/
                );
                bashDoes('exec /bin/bash "$@"');
                now += 59_000;
                await commands.unavailable();
                expect(commands.tier).not.to.equal("contained");
                if (again === "later") now += 1_000;
                else await commands.describe();
                expect(await commands.notice()).to.equal(usual);
                expect(commands.tier).to.equal("contained");
            }
        } finally {
            await Promise.all([shell.dispose(), ...all.map((each) => each.dispose())]);
        }
    });
});
