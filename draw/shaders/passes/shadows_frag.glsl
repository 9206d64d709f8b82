void main() {} // depth is all
