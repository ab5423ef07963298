/** Whether a value has the outline of a manifest; what is wrong is left in `errors`. */
export declare const validate: {
  (value: unknown): boolean;
  errors?: readonly { instancePath: string; message?: string }[] | null;
};
