import { expect } from "chai";

import { ContainedProject, describeContained } from "./contained.js";

/** Waits for whoever connects, or until a file says that nobody does. */
const LISTEN = `perl -e '
    socket(S, 1, 1, 0); bind(S, pack("S a*", 1, "/tmp/socket")) && listen(S, 1) or die;
    open(READY, ">", "/tmp/ready"); close READY; $| = 1; print "listens\\n";
    vec($wanted, fileno(S), 1) = 1; select(my $came = $wanted, undef, undef, 60);
    print vec($came, fileno(S), 1) ? "somebody came\\n" : "nobody came\\n"'`;
const CONNECT = `perl -e 'socket(S, 1, 1, 0); print connect(S, pack("S a*", 1, "/tmp/socket")) ? "reached" : "nobody"'`;

describeContained("contained runs side by side", () => {
    /** A run that has reached its first line of output. */
    async function begun(project: ContainedProject, command: string, owner?: object) {
        const stop = new AbortController();
        const { signal } = stop;
        const ended = await new Promise<() => Promise<unknown>>((resolve, reject) => {
            const run = project.run(command, {
                signal,
                owner,
                onOutput: () =>
                    resolve(() => {
                        stop.abort();
                        return run;
                    }),
            });
            run.catch(reject);
        });
        return ended;
    }

    it("Two runs at once cannot reach each other, so that none hands its descriptors to one that outlives it", async () => {
        const project = await ContainedProject.make();
        const ended = await begun(project, LISTEN);
        const { outcome } = await project.run(CONNECT);
        expect(outcome.stdout).to.equal("nobody");
        await ended();
        expect((await project.run(CONNECT)).outcome.stdout).to.equal("nobody");
    });

    it("Each owner finds in /tmp what its own last run left there", async () => {
        const project = await ContainedProject.make();
        const owner = {};
        await project.run("echo session >/tmp/kept");
        await project.run("echo owner >/var/tmp/kept", { owner });
        const ended = await begun(project, "echo begun; sleep 60", owner);
        const read = async (of?: object) =>
            (await project.run("cat /tmp/kept || echo none", { owner: of })).outcome.stdout.trim();
        expect(await read()).to.equal("session");
        expect(await read(owner)).to.equal("none");
        await ended();
        expect(await read(owner)).to.equal("owner");
    });
});
