export interface LineError {
    readonly line: number;
    readonly text: string;
}
