"""`python -m qanat` is the program `qanat`, of the Python that it was installed for."""
from qanat._program import main

main()
