export const writeReport = (): Promise<void> => Promise.resolve();
