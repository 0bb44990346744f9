import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { describeContained } from "./contained.js";
import { usersToTry, WatchedPlace } from "./watched-place.js";

describeContained("what a command leaves unreadable", () => {
    /** Root may read everything. */
    const user = usersToTry().at(-1) ?? 0;
    before(function () {
        if (user === 0) this.skip();
    });

    function linesOf(commands: readonly string[]) {
        const place = new WatchedPlace(user, (root) => {
            writeFileSync(path.join(root, "shut.txt"), "shut\n");
            chmodSync(path.join(root, "shut.txt"), 0);
        });
        try {
            return place.run(commands, { limits: { writtenMb: 20 } });
        } finally {
            place.remove();
        }
    }

    it("A file or folder that the user may not read, so not review, is asked about by name", () => {
        const wanted: Readonly<Record<string, string>> = {
            "mkdir d; echo x >d/x; chmod 300 d": "d",
            "mkdir d; echo x >d/x; chmod 600 d": "d",
            "chmod 0 a.txt": "a.txt",
            "rm -f shut.txt": "shut.txt",
        };
        for (const { command, refusal, effects } of linesOf(Object.keys(wanted))) {
            const text = `It needs to change ${wanted[command]}, which you may not read`;
            expect(refusal, command).to.deep.equal({ what: "kind", text });
            expect(effects, command).to.deep.equal([]);
        }
    });

    it("A mode that is restored in time is not a need", () => {
        const [line] = linesOf(["chmod 0 a.txt; chmod 644 a.txt; echo b >>a.txt"]);
        expect(line)
            .to.deep.include({ effects: ["a.txt"] })
            .and.not.to.have.property("refusal");
    });

    it("What is new in a folder that nobody may write to is a change as elsewhere", () => {
        const [line] = linesOf(["mkdir d; echo x >d/x; chmod 555 d"]);
        expect(line)
            .to.deep.include({ effects: ["d", "d/x"] })
            .and.not.to.have.property("refusal");
    });

    it("The limit of written bytes counts what is in a folder that nobody may list", () => {
        const fill = (folder: string) =>
            `mkdir ${folder}; chmod 300 ${folder}; for i in 1 2; do head -c 15M /dev/zero >${folder}/$i; done`;
        for (const { command, refusal, effects } of linesOf([
            `${fill("d")}; sleep 50`,
            fill("d"),
            fill("/tmp/d"),
            `mkdir -p /run/north/x/work; ${fill("/run/north/x/work/work")}`,
        ])) {
            const text = "It needs to write more than 20 MB";
            expect(refusal, command).to.deep.equal({ what: "size", text });
            expect(effects, command).to.deep.equal([]);
        }
    });
});
