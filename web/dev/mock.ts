export const mock = () => ({ name: 'mock' });
