# What every process of the builder needs beside QUERYMUST_STORES; `. deploy/env.sh` reads it. The password is in the file pgpass.
export QUERYMUST_HOME="${QUERYMUST_HOME:-/srv/querymust/home}"
export DAGSTER_HOME="$QUERYMUST_HOME/dagster"
export DAGSTER_DISABLE_TELEMETRY=1
export QUERYMUST_LIBRARY="${QUERYMUST_LIBRARY:-/srv/querymust/library}"
export QUERYMUST_HISTORY="postgresql+psycopg2://querymust@${QUERYMUST_STORES:-127.0.0.1}:5432/querymust?passfile=${QUERYMUST_SECRETS:-/etc/querymust}/pgpass"
export QUERYMUST_CHROMA="http://${QUERYMUST_STORES:-127.0.0.1}:8000"
export QUERYMUST_EXECUTOR="${QUERYMUST_EXECUTOR:-dask+tcp://127.0.0.1:8786}"
export QUERYMUST_PROCESSES="${QUERYMUST_PROCESSES:-2}"
export QUERYMUST_CODE=127.0.0.1 QUERYMUST_CODE_PORT=4266
