import type { OpenedChat } from "./chat-options.js";
import type { LiveView } from "./live-view.js";
import { statusLines, type StatusMarks } from "./render/status-line.js";
import { runningJobs } from "./running-jobs.js";
import type { Theme } from "./terminal/theme.js";

export class StatusArea {
    private marks: StatusMarks = {};
    private reads = 0;

    constructor(
        private readonly chat: Pick<OpenedChat, "session" | "statusMarks">,
        private readonly view: Pick<LiveView, "status" | "refresh" | "print">,
        private readonly theme: Theme
    ) {}

    show(): void {
        this.draw();
        // Another North process or a command may have changed it.
        void this.showAll();
    }

    /** Shows it once all of it is read. */
    async showAll(): Promise<void> {
        await this.readMarks();
        this.draw();
    }

    async tellAutomatic(): Promise<void> {
        const automatic = await this.automatic();
        this.marks = { automatic };
        if (automatic.length === 0) return;
        const what = automatic.join(" and ");
        const note = `! Automatic here: ${what} run without asking. /auto shows or ends this.`;
        this.view.print(this.theme.warning(note));
    }

    private draw(): void {
        const { session } = this.chat;
        this.view.status = statusLines(session.status(), this.theme, {
            ...this.marks,
            runningJobs: runningJobs(session.services).length,
        });
        this.view.refresh();
    }

    /** The newest read wins: an earlier one may finish later. */
    private async readMarks(): Promise<void> {
        const read = (this.reads += 1);
        const automatic = await this.automatic();
        this.marks = { ...this.marks, automatic };
        const marks = await this.chat.statusMarks?.().catch(() => this.marks);
        if (read === this.reads) this.marks = { ...marks, automatic };
    }

    private async automatic(): Promise<readonly string[]> {
        const { approvals } = this.chat.session.services.permissions;
        const thisRun = approvals.automaticThisRun();
        const always = await approvals.automatic().catch(() => thisRun);
        return [
            ...(always.editsAutoAccept || thisRun.editsAutoAccept ? ["edits"] : []),
            ...(always.shellAutoApprove || thisRun.shellAutoApprove ? ["commands"] : []),
        ];
    }
}
