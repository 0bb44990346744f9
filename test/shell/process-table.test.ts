import { expect } from "chai";

import { parseTable } from "../../src/shell/process-table.js";

describe("Process table without /proc", () => {
    const mark = { shell: 500, id: "abc123", terminal: "/dev/ttys004" };

    it("The session's processes are found by terminal and environment", () => {
        const table = [
            "  500     1   500 Ss   ttys004  bash -i",
            "  501   500   501 S+   ttys004  sleep 600 PATH=/bin",
            "  502     1   502 Ss   ??       sleep 600 PATH=/bin NORTH_SHELL_ID=abc123 HOME=/h",
            "  503     1   503 Ss   ??       sleep 600 NORTH_SHELL_ID=other",
            "  504   500   504 Z    ttys004  (sleep)",
            "  505     1   505 S    ttys0041 vim",
            "",
        ].join("\n");
        expect(parseTable(table, mark)).to.deep.equal([
            { pid: 500, parent: 1, group: 500, isMarked: true },
            { pid: 501, parent: 500, group: 501, isMarked: true },
            { pid: 502, parent: 1, group: 502, isMarked: true },
            { pid: 503, parent: 1, group: 503, isMarked: false },
            { pid: 505, parent: 1, group: 505, isMarked: false },
        ]);
    });
});
